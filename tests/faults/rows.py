"""Which test proves what happens at each fault of the design's table, by the row's number.

Tests that need what another folder has (a notebook's kernel, a browser) stand there.
"""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROWS = range(1, 63)

ELSEWHERE: dict[int, tuple[str, ...]] = {
    6: ("notebook/test_interrupt.py::test_interrupt_ends_the_job",),
    19: (
        "unit/test_channel.py::test_noise_on_a_socket_is_refused",
        "unit/test_wire.py::test_garbage_raises_nothing_else",
        "unit/test_wire.py::test_a_record_that_is_too_large_is_refused",
    ),
    26: ("unit/test_kept_state.py::test_a_read_that_failed_is_not_kept",),
    27: (
        "unit/test_kept_state.py::test_writes_wait_until_they_are_flushed_or_too_many",
        "faults/test_stream_faults.py::test_a_query_killed_and_restarted_answers_as_one_that_was_not",
    ),
    34: ("browser/test_saved.py::test_untrusted_it_shows_static_twins",),
    35: ("notebook/test_lab_news.py::test_every_request_is_answered",),
    36: (
        "spark/test_registration.py::test_odd_names_of_fields_results_and_quarantined_rows",
        "spark/test_dropping.py::test_names_that_need_quotes",
    ),
    37: ("spark/test_registration.py::test_the_name_of_a_builtin_is_refused",),
    38: (
        "spark/test_every_type.py::test_a_misfit_is_named_with_its_type",
        "unit/test_codecs.py::test_the_first_wrong_value_is_named_by_its_row",
    ),
    39: ("spark/test_registration.py::test_a_capture_is_refused_by_name_and_line",),
    42: (
        "spark/test_state.py::test_a_checkpoint_of_another_query_is_refused_with_both_schemas",
        "spark/test_process_streams.py::test_a_checkpoint_of_other_states_is_refused",
    ),
    57: ("notebook/test_interrupt.py::test_interrupts_at_any_moment",),
    61: (
        "notebook/test_own_classes.py::test_between_workers",
        "notebook/test_own_classes.py::test_a_class_redefined_while_a_query_runs",
        "notebook/test_own_classes.py::test_a_checkpoint_after_a_restart",
    ),
    62: (
        "spark/test_sql_corpus.py::test_it_is_answered_as_spark_answers_it",
        "spark/test_sql_corpus.py::test_it_is_read_as_spark_reads_it",
    ),
}


def proofs(row: int) -> list[str]:
    """Files of a row in this folder, and tests elsewhere."""
    own = (Path(__file__).parent).glob(f"test_{row:02}_*.py")
    return sorted([*(f"faults/{path.name}" for path in own), *ELSEWHERE.get(row, ())])
