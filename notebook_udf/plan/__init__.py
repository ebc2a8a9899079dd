"""Reading Spark's plan and what running it cost, as data; advice on it; its static forms.

``classic`` is the only module that talks to the JVM, ``explained`` reads the same tree from Spark's
text. ``plan_builder`` turns either into the nodes of ``plan_model``; ``costs`` puts telemetry on
them, ``advice`` and ``strategies`` say what follows. ``text_renderer`` and ``html`` show a plan;
they and a widget read nothing but ``Plan.to_dict`` and the dataclasses behind it.
"""
