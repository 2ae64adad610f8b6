"""Configuration: defaults, then a YAML profile (`--config`), then `HYPERMNESIA_*` variables, then arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from hypermnesia.ports import STATUSES

#: Statuses of calls that may have a limit.
_LIMITED = {*STATUSES} - {"ok"}


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EndpointSettings(_Closed):
    """An OpenAI-compatible endpoint: `vllm serve`, Ray Serve LLM, a hosted one. Limits are those of the whole run."""

    urls: tuple[str, ...] = Field((), description="base addresses that end in /v1")
    api_key_variable: str = Field("OPENAI_API_KEY", description="the environment's variable that holds the key")
    workers: int = Field(1, ge=1, description="processes that send calls (Ray)")
    slots: int = Field(64, ge=1, description="calls at once")
    requests_per_minute: float | None = Field(None, gt=0)
    tokens_per_minute: float | None = Field(None, gt=0)
    timeout_s: float = Field(600, gt=0, description="seconds of one attempt; above the slowest answers")
    attempts: int = Field(5, ge=1)
    patience_s: float = Field(900, ge=0, description="seconds that a call waits while it is told to")
    open_s: float = Field(10, gt=0, description="seconds that the endpoint may need to answer at first")
    most_failures: int = Field(50, ge=1, description="failed calls in a row after which the run stops")
    extra: dict[str, Any] = Field(default_factory=dict, description="merged into every request's body")


class VllmSettings(_Closed):
    """vLLM's engine in Ray actors: as many replicas as there are, each with its GPUs."""

    path: str = Field("", description="a folder or a hub's name; without it `model`")
    replicas: int = Field(1, ge=1)
    tensor_parallel: int = Field(1, ge=1, description="GPUs of one replica; just large enough for the model")
    gpus: float | None = Field(None, ge=0, description="GPUs that Ray keeps for a replica; 0 on a CPU")
    cpus: float = Field(0, ge=0, description="CPUs that Ray keeps for a replica")
    dtype: str = "auto"
    max_model_len: int | None = Field(8_192, ge=256)
    max_num_seqs: int = Field(512, ge=1)
    max_num_batched_tokens: int | None = Field(16_384, ge=256)
    gpu_memory_utilization: float = Field(0.92, gt=0, le=1)
    extra: dict[str, Any] = Field(default_factory=dict, description="further engine arguments of vLLM")
    template_values: dict[str, Any] = Field(default_factory=dict, description="for the model's chat template")


class Settings(BaseSettings):
    """What a run may choose. A value that is not known, or out of range, is an error."""

    model_config = SettingsConfigDict(env_prefix="HYPERMNESIA_", env_nested_delimiter="__", extra="forbid", frozen=True)

    home: Annotated[Path, AfterValidator(lambda path: path.expanduser().resolve())] = Path("memory").resolve()
    lake_key: SecretStr | None = Field(None, description="the key of ids and hashes; without it a file in the home")
    vault_key: SecretStr | None = Field(None, description="the key of the vault's keys; without it a file in the home")
    vault_read: bool = Field(False, description="whether `vault get` may show secrets; each attempt is logged")
    executor: Literal["ray", "inline"] = "ray"
    extractor: Literal["linguistic", "verbatim", "model"] = Field("linguistic", description="what makes records")
    distiller: Literal["rules", "model"] = Field("rules", description="what proposes what task sessions teach")
    model: str = Field("", description="the model's name: what answers are kept under, and an endpoint is asked for")
    generator: Literal["none", "openai", "vllm"] = Field("none", description="none: only stored answers are read")
    openai: EndpointSettings = Field(default_factory=lambda: EndpointSettings.model_validate({}))
    vllm: VllmSettings = Field(default_factory=lambda: VllmSettings.model_validate({}))
    mode: Literal["writers", "single", "small"] = Field(
        "writers", description="a call a memory type; one call for all; or windows of two messages for small models"
    )
    injection_check: bool = Field(False, description="ask the model about messages that the toxic memory filter doubts")
    answer_tokens: int | None = Field(None, ge=16, description="the most of one answer, for models of little context")
    token_budget: int | None = Field(None, ge=1, description="tokens after which a run stops; the next one goes on")
    time_budget_s: float | None = Field(None, gt=0, description="seconds after which a run asks the model no more")
    limits: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        {"empty": 0.1, "truncated": 0.1, "refusal": 0.1, "whitespace_loop": 0.1, "unparseable": 0.2},
        description="the share of calls that may end with a status",
    )
    tokens_per_gpu_second: float | None = Field(None, gt=0, description="for `plan`; without it, as measured here")
    graph: Literal["sqlite", "neo4j"] = Field("sqlite", description="the store of the graph: in the home, or servers")
    neo4j_urls: tuple[str, ...] = Field((), description="bolt://... of each server; their order says whose users where")
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr | None = Field(None, description="alike on each server; HYPERMNESIA_NEO4J_PASSWORD")
    neo4j_connections: int = Field(8, ge=1, description="connections to one server, and users loaded at once")
    workers: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1)
    shard_messages: int = Field(2_000, ge=8, description="messages a shard of chunk and extract holds at most")
    shard_records: int = Field(256, ge=4, description="records a shard of embed holds at most")
    shard_names: int = Field(2_000, ge=4, description="names of whole users a shard of resolve holds, about")
    one_agent: dict[str, list[str]] = Field(
        default_factory=dict, description="users whose agents learn skills together, by a name for them"
    )
    skill_sessions: int = Field(5, ge=1, description="new task sessions with which a night learns skills")
    skill_sessions_most: int = Field(2_000, ge=1, description="task sessions that a night reads of one agent")
    reject_budget: float = Field(0.05, ge=0, le=1, description="the share of rows that a stage may refuse")
    lease_wait_s: float = Field(600, ge=0, description="seconds to wait for another run's lease")
    stall_s: float = Field(600, gt=0, description="seconds without any result before a run stops")
    tracking: Literal["mlflow", "off"] = "mlflow"
    cache_rows: int = Field(100_000, ge=1, description="rows of histories that a reader keeps")

    @model_validator(mode="after")
    def _is_whole(self) -> Settings:
        if self.extractor == "model" and not self.model:
            raise ValueError("extractor: model needs `model`, the name that its answers are kept under")
        if self.injection_check and self.extractor != "model":
            raise ValueError("injection_check: the filter asks the model that extracts, so it needs `extractor: model`")
        if self.distiller == "model" and not self.model:
            raise ValueError("distiller: model needs `model`, the name that its answers are kept under")
        if self.generator != "none" and not self.model:
            raise ValueError(f"generator: {self.generator} needs `model`")
        if self.generator == "openai" and not self.openai.urls:
            raise ValueError("generator: openai needs `openai.urls`, base addresses that end in /v1")
        if self.graph == "neo4j" and not self.neo4j_urls:
            raise ValueError("graph: neo4j needs `neo4j_urls`, bolt://... of each server")
        if unknown := set(self.limits) - _LIMITED:
            raise ValueError(f"limits: {', '.join(sorted(unknown))}: there are {', '.join(sorted(_LIMITED))}")
        return self

    @field_validator("one_agent")
    @classmethod
    def _one_place_a_user(cls, one_agent: dict[str, list[str]]) -> dict[str, list[str]]:
        named = [user for users in one_agent.values() for user in users]
        twice = sorted({user for user in named if named.count(user) > 1})
        if twice or not all(name.strip() for name in (*one_agent, *named)):
            raise ValueError(f"each user stands under one name, and none is empty: {', '.join(twice)}")
        return one_agent

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
