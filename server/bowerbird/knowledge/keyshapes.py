"""Shapes of keys and tokens that `detect-secrets` does not know, and the words beside which secrets stand."""

from __future__ import annotations

import re

KNOWN_SHAPES: tuple[tuple[str, str], ...] = (
    ("Age", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("Anthropic", r"sk-ant-[\w-]{20,}"),
    ("Atlassian", r"ATATT3[\w=-]{50,}"),
    ("Azure shared access", r"[?&]sig=[A-Za-z0-9%+/]{40,}"),
    ("Databricks", r"\bdapi[0-9a-f]{32}\b"),
    ("DER private key", r"MII[A-Za-z0-9+/]{3}IBA[AD][A-Za-z0-9+/=]{40,}"),
    ("DigitalOcean", r"do[opr]_v1_[0-9a-f]{64}"),
    ("Discord hook", r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{40,}"),
    ("Doppler", r"\bdp\.(?:pt|st|sa|ct)\.[\w.-]{40,}"),
    ("GitHub", r"github_pat_\w{40,}"),
    ("GitHub", r"\bgh[opsur]_[A-Za-z0-9]{36,}"),
    ("GitLab", r"\bgl(?:pat|ptt|rt|cbt|dt|agent|soat|ft|imt)-[\w-]{20,}"),
    ("Google", r"\bAIza[\w-]{35}"),
    ("Google", r"\bGOCSPX-[\w-]{20,}"),
    ("Google", r"\bya29\.[\w-]{20,}"),
    ("Groq", r"\bgsk_[A-Za-z0-9]{40,}"),
    ("Hugging Face", r"\b(?:hf|api_org)_[A-Za-z]{30,}"),
    ("Linear", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("Mapbox", r"\bsk\.eyJ[\w-]+\.[\w-]+"),
    ("npm", r"\bnpm_[A-Za-z0-9]{36}"),
    ("OpenAI", r"\bsk-(?:proj|svcacct|admin|or-v1)-[\w-]{20,}"),
    ("Postman", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("Replicate", r"\br8_[A-Za-z0-9]{37}"),
    ("Sentry", r"\bsntry[su]_[A-Za-z0-9+/=_]{40,}"),
    ("Shopify", r"\bshp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}"),
    ("Slack", r"\bxapp-\d-[A-Z0-9]+-\d+-[0-9a-f]+"),
    ("Stripe", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Stripe hook", r"\bwhsec_[A-Za-z0-9+/]{24,}"),
    ("Tailscale", r"\btskey-[a-z]+-[\w-]{20,}"),
    ("Telegram", r"\b\d{8,10}:AA[\w-]{33}\b"),
    ("Vault", r"\bhv[sbr]\.[\w-]{24,}"),
)
"""Who gives such keys out, and what they look like."""

KNOWN = re.compile("|".join(f"(?:{shape})" for _, shape in KNOWN_SHAPES))

LIKELY = re.compile(
    r"\bsk-([A-Za-z0-9_-]{20,})|\b[Bb]earer +([A-Za-z0-9._~+/-]{20,})|\b[Bb]asic +([A-Za-z0-9+/]{16,}={0,2})"
)
"""Shapes that ordinary words have too: what is in the group must look random."""

KEY_LINE = re.compile(
    r"^[^A-Za-z0-9+/\n]*([A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?:\\[nr])*[^A-Za-z0-9+/\n]*$", re.MULTILINE
)
"""A whole line from the middle of an armoured key. Other base64 is wrapped at 76 characters or not at all."""

PASSWORD_WORDS = r"passw(?:or)?d|passphrase|passwort|pwd|secret"
TOKEN_WORDS = (
    r"token(?!i[sz])|credential"
    r"|(?:api|auth|access|account|service|client|private|priv|secret|shared|master|signing|encryption|db|license)"
    r"[_-]?key"
)

ASSIGNED = re.compile(
    rf"""(?ix)
    (?<!public) (?<!public[_-]) (?<!publickey)
    (?: (?P<password>{PASSWORD_WORDS}) | {TOKEN_WORDS} ) (?P<rest>[\w-]*)
    (?: \( | ["'] \s* ,
      | [\w.-]* ["'\]]{{0,2}} \s* (?: : \s* [\w.\[\]|\ ]+? \s* )? (?: :=|=>|[=!]=+|[:=] ) ) \s*
    (?: [brfu@]{{0,2}} (?P<quote>["'`]) (?P<literal> (?: (?!(?P=quote)) . )+ ) (?: (?P=quote) | $ )
      | (?P<bare> [^\s'"`(){{}}\[\]<>$,;#&]{{8,}} ) (?= [\s;&"'`] | $ ) )"""
)
"""Something with a telling name is given a value, in quotes or (as in configuration files) without.

The quote that closes may be missing: then somebody is typing.
"""

NAMES_SOMETHING = re.compile(
    r"""(?ix) [_.-]? (?: name|field|id|label|type|kind|path|file|filename|dir|url|uri|endpoint|host|header
      |param|parameter|arg|env|var|variable|prefix|suffix|length|len|size|min|max|hint|regex|pattern|policy
      |placeholder|error|message|msg|title|text|help|desc|description|class|version|index|column|attr|attribute
      |selector|input|format|scope|ref|reference|key|algorithm|alg|method|mode|provider|backend|store|storage
      |manager|mgr|service|doc ) s? \Z"""
)
"""How the names of things end that only tell where a secret is: ``password_field``, ``secret_name``."""
