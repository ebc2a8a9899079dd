"""Spark's plan and the cost of running it, as data; advice on it; its static forms.

``host`` reads plans from Spark, ``explained`` reads the same tree from Spark's text.
``plan_builder`` turns either into the nodes of ``plan_model``; ``costs`` adds telemetry to them,
``advice`` and ``strategies`` explain them. ``text_renderer`` and ``html_renderer`` show a plan;
they and a widget read nothing but ``Plan.to_dict`` and the dataclasses behind it.
"""
