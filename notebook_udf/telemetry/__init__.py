"""The side channel: what workers see on the way, brought to the kernel, and commands back.

``wire`` is the format both ends speak, ``sender`` the worker's end, ``receiver`` the kernel's
end, ``store`` what the kernel knows. No Spark in here.
"""
