"""Configuration: defaults, then a YAML profile (`--config`), then `HYPERMNESIA_*` variables, then arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict


class Settings(BaseSettings):
    """What a run may choose. A value that is not known, or out of range, is an error."""

    model_config = SettingsConfigDict(env_prefix="HYPERMNESIA_", extra="forbid", frozen=True)

    home: Annotated[Path, AfterValidator(lambda path: path.expanduser().resolve())] = Path("memory").resolve()
    lake_key: SecretStr | None = Field(None, description="the key of ids and hashes; without it a file in the home")
    vault_key: SecretStr | None = Field(None, description="the key of the vault's keys; without it a file in the home")
    vault_read: bool = Field(False, description="whether `vault get` may show secrets; each attempt is logged")
    executor: Literal["ray", "inline"] = "ray"
    extractor: Literal["linguistic", "verbatim"] = Field("linguistic", description="what makes records of chunks")
    workers: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1)
    shard_messages: int = Field(2_000, ge=8, description="messages a shard of chunk and extract holds at most")
    shard_records: int = Field(256, ge=4, description="records a shard of embed holds at most")
    shard_names: int = Field(2_000, ge=4, description="names of whole users a shard of resolve holds, about")
    reject_budget: float = Field(0.05, ge=0, le=1, description="the share of rows that a stage may refuse")
    lease_wait_s: float = Field(600, ge=0, description="seconds to wait for another run's lease")
    stall_s: float = Field(600, gt=0, description="seconds without any result before a run stops")
    tracking: Literal["mlflow", "off"] = "mlflow"
    cache_rows: int = Field(100_000, ge=1, description="rows of histories that a reader keeps")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then variables, then the profile (which `load` passes as lowest)."""
        return init_settings, env_settings, _Profile(settings_cls)


class _Profile(PydanticBaseSettingsSource):
    """The values of the YAML profile that `load` is reading."""

    values: dict[str, Any] = {}  # noqa: RUF012

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        return self.values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return dict(self.values)


def load(config: Path | None = None, **arguments: Any) -> Settings:
    """The settings of a run; arguments that are None are not given.

    Raises `ValueError` naming the setting, or `OSError` for a profile that can't be read.
    """
    values = yaml.safe_load(config.read_text()) if config else {}
    if not isinstance(values or {}, dict):
        raise ValueError(f"{config}: a profile is a mapping of settings")
    _Profile.values = values or {}
    try:
        return Settings(**{name: value for name, value in arguments.items() if value is not None})
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, e['loc'])) or 'settings'}: {e['msg']}" for e in error.errors())
        raise ValueError("; ".join(problems)) from error
    finally:
        _Profile.values = {}
