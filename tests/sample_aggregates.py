"""Aggregate functions that several test modules use: the design's examples, and a sum."""

from __future__ import annotations

from typing import Any

from notebook_udf import AggregateFunction, DataTypes, ListView, MapView, Row


class CountAggregateFunction(AggregateFunction):
    def get_value(self, accumulator):  # type: ignore[no-untyped-def]
        return accumulator[0]

    def create_accumulator(self):  # type: ignore[no-untyped-def]
        return [0]

    def accumulate(self, accumulator, *args):  # type: ignore[no-untyped-def]
        accumulator[0] = accumulator[0] + 1

    def retract(self, accumulator, *args):  # type: ignore[no-untyped-def]
        accumulator[0] = accumulator[0] - 1

    def merge(self, accumulator, accumulators):  # type: ignore[no-untyped-def]
        for other_acc in accumulators:
            accumulator[0] = accumulator[0] + other_acc

    def get_accumulator_type(self):  # type: ignore[no-untyped-def]
        return DataTypes.ARRAY(DataTypes.BIGINT())

    def get_result_type(self):  # type: ignore[no-untyped-def]
        return DataTypes.BIGINT()


class CountDistinctAggregateFunction(AggregateFunction):
    def get_value(self, accumulator):  # type: ignore[no-untyped-def]
        return accumulator["count"]

    def create_accumulator(self):  # type: ignore[no-untyped-def]
        return Row(count=0, map=MapView())

    def accumulate(self, accumulator, *args):  # type: ignore[no-untyped-def]
        if args[0] in accumulator["map"]:
            accumulator["map"][args[0]] += 1
        else:
            accumulator["count"] += 1
            accumulator["map"][args[0]] = 1

    def retract(self, accumulator, *args):  # type: ignore[no-untyped-def]
        if args[0] in accumulator["map"]:
            accumulator["map"][args[0]] -= 1
            if accumulator["map"][args[0]] <= 0:
                del accumulator["map"][args[0]]
                accumulator["count"] -= 1

    def merge(self, accumulator, accumulators):  # type: ignore[no-untyped-def]
        pass

    def get_accumulator_type(self):  # type: ignore[no-untyped-def]
        return DataTypes.ROW(
            [
                DataTypes.FIELD("count", DataTypes.BIGINT()),
                DataTypes.FIELD("map", DataTypes.MAP_VIEW(DataTypes.BIGINT(), DataTypes.BIGINT())),
            ]
        )

    def get_result_type(self):  # type: ignore[no-untyped-def]
        return DataTypes.BIGINT()


class Sum(AggregateFunction):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator[0] += value

    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        for other in accumulators:
            accumulator[0] += other[0]

    def get_value(self, accumulator: Any) -> int:
        return int(accumulator[0])


class RetractingSum(Sum):
    def retract(self, accumulator: Any, value: int) -> Any:
        accumulator[0] -= value


class Longest(AggregateFunction):
    """Greatest value; all of them are kept, to look for the next one when it is taken out."""

    def create_accumulator(self) -> Any:
        return {"all": ListView()}

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator["all"].add(value)

    def retract(self, accumulator: Any, value: int) -> Any:
        kept = list(accumulator["all"])
        kept.remove(value)
        accumulator["all"].clear()
        accumulator["all"].add_all(kept)

    def get_value(self, accumulator: Any) -> int | None:
        return max(accumulator["all"], default=None)


class Text(AggregateFunction):
    """An accumulator that cannot be changed in place."""

    def create_accumulator(self) -> str:
        return ""

    def accumulate(self, accumulator: str, value: int) -> str:
        return accumulator + "x"

    def merge(self, accumulator: str, accumulators: Any) -> str:
        return accumulator + "".join(accumulators)

    def get_value(self, accumulator: str) -> int:
        return len(accumulator)
