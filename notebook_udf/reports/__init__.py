"""Reports of jobs: what one did on Spark, in one HTML file, and checks of what its functions cost.

``report`` is ``nu.report``, ``job_run`` the command ``notebook-udf run``; ``sightings`` collects
what is known of a session while it can still be asked, ``report_page`` writes the page.
"""
