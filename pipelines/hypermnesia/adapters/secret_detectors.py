"""Finds secrets: our rules, detect-secrets' regex plugins and presidio's recognisers, joined.

No plugin that measures entropy (ids of ordinary talk look random) and nothing that asks a network. Presidio
runs without a language model: only recognisers that check digits or a form, so those about secrets that
need none. Its crypto addresses are public and its names, addresses and phones are memory: left out.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from hypermnesia.rules.secret_keys import Found, is_named_otherwise
from hypermnesia.rules.secrets import Secret, find_by_rules, find_secrets

#: detect-secrets' plugins by module: class and the kind of what it finds.
_PLUGINS = {
    "artifactory": ("ArtifactoryDetector", "api key"),
    "aws": ("AWSKeyDetector", "api key"),
    "azure_storage_key": ("AzureStorageKeyDetector", "api key"),
    "basic_auth": ("BasicAuthDetector", "password"),
    "cloudant": ("CloudantDetector", "api key"),
    "discord": ("DiscordBotTokenDetector", "api key"),
    "github_token": ("GitHubTokenDetector", "api key"),
    "gitlab_token": ("GitLabTokenDetector", "api key"),
    "ibm_cloud_iam": ("IbmCloudIamDetector", "api key"),
    "ibm_cos_hmac": ("IbmCosHmacDetector", "api key"),
    "jwt": ("JwtTokenDetector", "token"),
    "mailchimp": ("MailchimpDetector", "api key"),
    "npm": ("NpmDetector", "api key"),
    "openai": ("OpenAIDetector", "api key"),
    "private_key": ("PrivateKeyDetector", "private key"),
    "pypi_token": ("PypiTokenDetector", "api key"),
    "sendgrid": ("SendGridDetector", "api key"),
    "slack": ("SlackDetector", "api key"),
    "softlayer": ("SoftlayerDetector", "api key"),
    "square_oauth": ("SquareOAuthDetector", "api key"),
    "stripe": ("StripeDetector", "api key"),
    "telegram_token": ("TelegramBotTokenDetector", "api key"),
    "twilio": ("TwilioKeyDetector", "api key"),
}
#: Presidio's recognisers: class, kind, and the least score (below it they need a language model's context).
_RECOGNISERS = {
    "CreditCardRecognizer": "card number",
    "IbanRecognizer": "iban",
    "UsSsnRecognizer": "social security number",
}
LEAST_SCORE = 0.5

_LONG = re.compile(r"[A-Za-z0-9_+/=.-]{16}|://[^\s/@]+@|-----BEGIN", re.ASCII)
_NUMBERS = re.compile(r"\d(?:[ -]?\d){11}|\b[A-Z]{2}\d\d[ A-Z0-9]{11}|\b\d{3}[- .]\d\d[- .]\d{4}\b")
_HOLE = re.compile(r"[<{$%*\[]|x{4,}|X{4,}|(?i:your|password$|pass$)")


class JoinedSecretDetector:
    """What the port `SecretDetector` asks, by all three; libraries are loaded by the first text that needs them."""

    def find(self, texts: Sequence[str]) -> list[list[Secret]]:
        """The secrets of each text, in order, none overlapping another."""
        finders = (find_by_rules, self._by_plugins, self._by_recognisers)
        return [find_secrets(text, finders) for text in texts]

    @cached_property
    def _plugins(self) -> list[tuple[Any, str]]:
        return [
            (getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)(), kind)
            for module, (name, kind) in _PLUGINS.items()
        ]

    @cached_property
    def _recognisers(self) -> list[tuple[Any, str]]:
        import presidio_analyzer.predefined_recognizers as known

        return [(getattr(known, name)(), kind) for name, kind in _RECOGNISERS.items()]

    def _by_plugins(self, text: str) -> Iterator[Found]:
        if not _LONG.search(text):
            return
        offset = 0
        for line in text.splitlines(keepends=True):
            if _LONG.search(line):
                for plugin, kind in self._plugins:
                    for value in plugin.analyze_string(line):
                        yield from _places(line, value, kind, offset)
            offset += len(line)

    def _by_recognisers(self, text: str) -> Iterator[Found]:
        if not _NUMBERS.search(text):
            return
        for recogniser, kind in self._recognisers:
            for found in recogniser.analyze(text, recogniser.supported_entities, None):
                value = text[found.start : found.end]
                if found.score < LEAST_SCORE:
                    continue
                if kind == "card number" and (value[0] not in "3456" or is_named_otherwise(text, found.start)):
                    continue
                yield kind, found.start, found.end


def _places(line: str, value: Any, kind: str, offset: int) -> Iterator[Found]:
    """Where a plugin's value stands; one without a digit is a word, but for a password."""
    value = str(value).strip(" \t\r\n\"'=:,;")
    if len(value) < 3 or _HOLE.match(value):
        return
    if kind == "api key" and not re.search(r"\d", value):
        return
    at = line.find(value)
    while at >= 0:
        yield kind, offset + at, offset + at + len(value)
        at = line.find(value, at + len(value))
