"""The refusals of datasets."""

from collections.abc import Sequence

from companyos.chassis import ServiceError


class DatasetUnknown(ServiceError):
    """No dataset has this id."""

    status_code = 404
    code = "dataset_unknown"

    def __init__(self, dataset_id: str) -> None:
        super().__init__(
            f"No dataset has this id: {dataset_id!r}. Find ids with datahub_list_datasets.",
            field="dataset_id",
            remedy="datahub_list_datasets",
        )


class ColumnUnknown(ServiceError):
    """The dataset, or the result of the query, has no such column."""

    status_code = 422
    code = "column_unknown"

    def __init__(self, column: str, *, field: str, columns: Sequence[str]) -> None:
        super().__init__(
            f"There is no such column here: {column!r}. The columns are {', '.join(columns)}.",
            field=field,
            allowed_values=list(columns),
        )


class OperatorNotAllowed(ServiceError):
    """The column's type has no such operator or function."""

    status_code = 422
    code = "operator_not_allowed"

    def __init__(self, column: str, given: str, *, field: str, allowed: Sequence[str]) -> None:
        super().__init__(
            f"'{given}' does not fit the column {column}. Use one of {', '.join(allowed)}.",
            field=field,
            allowed_values=list(allowed),
        )


class ValueNotAllowed(ServiceError):
    """The value of a condition does not have the column's type."""

    status_code = 422
    code = "value_not_allowed"

    def __init__(self, column: str, wanted: str, *, field: str) -> None:
        super().__init__(f"The value compared with {column} must be {wanted}.", field=field)
