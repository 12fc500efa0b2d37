"""Secrets in texts. All of those planted here are made up, and put together only when the tests run."""

import base64
import json
import random
import re
import socket
import string
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.keyshapes import KNOWN_SHAPES
from bowerbird.knowledge.secrets import MASK, holds_secret, redact

DRAW = random.Random(20)
BASE64 = string.ascii_letters + string.digits + "+/"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"


def drawn(alphabet: str, length: int) -> str:
    """Random characters, with a digit and a letter at their beginning in any case."""
    return "7" + "d" * (length > 1) + "".join(DRAW.choices(alphabet, k=length - 2))


def segment(value: dict[str, str]) -> str:
    """One part of a JSON web token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def armour(label: str, lines: int = 6) -> str:
    """An armoured block."""
    dashes = "-" * 5
    body = [drawn(BASE64, 64) for _ in range(lines)] + [drawn(BASE64, 22) + "=="]
    return "\n".join([f"{dashes}BEGIN {label}{dashes}", *body, f"{dashes}END {label}{dashes}"])


JWT = ".".join((segment({"alg": "HS256"}), segment({"sub": "1", "name": "A"}), drawn(ALNUM, 43)))
PRIVATE = "PRIVATE" + " KEY"

PLANTED = {
    "AWS key id": ('key_id = "{}"', "AKIA" + drawn(UPPER, 16).upper()),
    "AWS secret": ('aws_secret_access_key = "{}"', drawn(BASE64, 40)),
    "AWS secret in a profile": ("aws_secret_access_key = {}", drawn(BASE64, 40)),
    "GitHub": ('headers["X"] = "{}"', "ghp_" + drawn(ALNUM, 36)),
    "GitHub, fine-grained": ("git clone https://{}@github.com/a/b", "github_pat_" + drawn(ALNUM, 60)),
    "GitLab": ('x = "{}"', "glpat-" + drawn(ALNUM, 20)),
    "Slack": ("SLACK = '{}'", "xoxb-" + "1" * 12 + "-" + "2" * 12 + "-" + drawn(ALNUM, 24)),
    "Slack hook": ('post("{}")', "https://hooks.slack.com/services/" + "T0AB12/B0CD34/" + drawn(ALNUM, 24)),
    "Stripe": ("stripe.api_key = '{}'", "sk_live_" + drawn(ALNUM, 24)),
    "Stripe, for tests": ("const stripe = Stripe(`{}`)", "sk_test_" + drawn(ALNUM, 24)),
    "Google": ('key: "{}",', "AIza" + drawn(ALNUM, 35)),
    "OpenAI": ('client = Client("{}")', "sk-" + drawn(ALNUM, 20) + "T3BlbkFJ" + drawn(ALNUM, 20)),
    "OpenAI, of a project": ("OPENAI_API_KEY={}", "sk-proj-" + drawn(ALNUM, 60)),
    "Anthropic": ('key="{}"', "sk-ant-api03-" + drawn(ALNUM, 60)),
    "Hugging Face": ("login('{}')", "hf_" + "".join(DRAW.choices(string.ascii_letters, k=34))),
    "npm": ("//registry.example/:_authToken={}", "npm_" + drawn(ALNUM, 36)),
    "PyPI": ("password: {}", "pypi-AgEIcHlwaS5vcmc" + drawn(ALNUM, 80)),
    "SendGrid": ('sg = "{}"', "SG." + drawn(ALNUM, 22) + "." + drawn(ALNUM, 43)),
    "Twilio": ('sid = "{}"', "SK" + drawn(HEX, 32)),
    "Telegram": ("bot = '{}'", "1234567890:AA" + drawn(ALNUM, 33)),
    "Azure storage": ("AccountName=a;AccountKey={};", drawn(BASE64, 86) + "=="),
    "DigitalOcean": ("token {}", "dop_v1_" + drawn(HEX, 64)),
    "Age": ('f("{}")', "AGE-SECRET-KEY-" + "1" + drawn(UPPER, 58).upper()),
    "Atlassian": ('f("{}")', "ATATT3" + drawn(ALNUM, 180)),
    "Azure shared access": ('f("https://a.example/b?sv=2024&sig={}")', drawn(ALNUM, 43) + "%3D"),
    "Databricks": ('f("{}")', "dapi" + drawn(HEX, 32)),
    "Discord hook": ('f("https://discord.com/api/webhooks/12345/{}")', drawn(ALNUM, 68)),
    "Doppler": ('f("{}")', "dp.pt." + drawn(ALNUM, 43)),
    "Google, client": ('f("{}")', "GOCSPX-" + drawn(ALNUM, 28)),
    "Google, access": ('f("{}")', "ya29." + drawn(ALNUM, 60)),
    "Groq": ('f("{}")', "gsk_" + drawn(ALNUM, 52)),
    "Linear": ('f("{}")', "lin_api_" + drawn(ALNUM, 40)),
    "Mapbox": ('f("{}")', "sk." + segment({"u": "somebody", "a": drawn(ALNUM, 25)}) + "." + drawn(ALNUM, 22)),
    "Postman": ('f("{}")', "PMAK-" + drawn(HEX, 24) + "-" + drawn(HEX, 34)),
    "Replicate": ('f("{}")', "r8_" + drawn(ALNUM, 37)),
    "Sentry": ('f("{}")', "sntrys_" + drawn(ALNUM, 80)),
    "Shopify": ('f("{}")', "shpat_" + drawn(HEX, 32)),
    "Slack app": ('f("{}")', "xapp-1-" + "A01234567-1234567890-" + drawn(HEX, 64)),
    "Stripe hook": ('f("{}")', "whsec_" + drawn(ALNUM, 32)),
    "Tailscale": ('f("{}")', "tskey-auth-" + drawn(ALNUM, 30)),
    "Vault": ('f("{}")', "hvs." + drawn(ALNUM, 90)),
    "JSON web token": ('jwt = "{}"', JWT),
    "bearer": ("curl -H 'Authorization: Bearer {}' https://api.example", drawn(ALNUM, 40)),
    "DER key": ('KEY = "{}"', "MII" + "Eow" + "IBA" + "A" + drawn(BASE64, 800)),
    "password": ('password = "{}"', "hunter2" + "x"),
    "password with symbols": ("db.password = '{}'", "p@ss!word"),
    "password of a type": ('password: str = "{}"', "Tr0ub4dor&3"),
    "password as an argument": ('connect(user="shop", password="{}")', "k3ttl3drum"),
    "password in JSON": ('"password": "{}",', "k3ttl3drum"),
    "password in PHP": ("define('DB_PASSWORD', '{}');", "k3ttl3drum"),
    "password in YAML": ("  password: {}", "Xk93hdQw82Lq"),
    "password in a shell": ("export DB_PASSWORD={}", "Xk93hdQw82Lq"),
    "password in Go": ('password := "{}"', "k3ttl3drum"),
    "password set": ('user.setPassword("{}");', "k3ttl3drum"),
    "password being typed": ('password = "{}', "k3ttl3drum"),
    "password compared": ('if (password == "{}") {{', "k3ttl3drum"),
    "connection string": ('DSN = "postgres://shop:{}@db.example:5432/shop"', "kettledrum"),
    "connection string without a user": ("REDIS=redis://:{}@cache:6379", "kettledrum"),
    "connection string, SQL Server": ('"Server=db;User Id=sa;Password={};"', "Xk93hdQw82Lq"),
    "generic api key": ('api_key = "{}"', drawn(HEX, 32)),
    "generic api key in upper case": ("API_KEY={}", drawn(HEX, 32)),
    "generic token": ("auth_token: '{}'", drawn(ALNUM, 24)),
    "client secret": ('CLIENT_SECRET = "{}"', drawn(ALNUM, 32)),
    "unnamed random literal": ('f("{}")', drawn(BASE64, 44)),
    "after letters whose small ones are two": ("İ" * 200 + '\npassword = "{}"', "k3ttl3drum"),
}
"""A line, and the secret to be put into it."""

INNOCENT = [
    *('password = "password"', 'password = ""', 'password = "changeme"', 'password="your-password-here"'),
    *('"password": "string",', 'password = os.environ["DB_PASSWORD_1"]', 'password = "${DB_PASSWORD_2}"'),
    *(
        "password: str = Field(..., min_length=12)",
        'PASSWORD_FIELD = "password1_input"',
        "passwd = getpass()",
    ),
    *('raise ValueError("password must have 12 characters")', 'secret_name = "prod/database/v2"'),
    *('password.encode("utf-8")', 'hash_password(password, "sha256")', 'password = "********"'),
    *(
        'api_key = "YOUR_API_KEY"',
        'api_key="<api-key-1>"',
        "api_key = config.api_key_2",
        "API_KEY=xxxxxxxxxxxx1",
    ),
    *(
        'token = "[PAD]"',
        'pad_token="<|endoftext|>"',
        "token = tokens[i + 1]",
        'tokenizer = "gpt2-medium-v1"',
    ),
    *(
        'token_url = "https://login.example/oauth2/v1/token"',
        'key = "user_id_42"',
        'publicKeyToken="b77a5c561934e089"',
    ),
    'url = "https://user:password@example.com"',
    'url = f"https://{user}:{password}@{host}:5432/"',
    "see https://example.com:8080/a@b and http://host:port",
    'commit = "' + drawn(HEX, 40) + '"',
    "sha256:" + drawn(HEX, 64),
    '"integrity": "sha512-' + drawn(BASE64, 86) + '=="',
    "id = UUID('" + "-".join(drawn(HEX, n) for n in (8, 4, 4, 4, 12)) + "')",
    'file_id = "' + drawn(ALNUM, 33) + '"',
    '"etag": "' + drawn(BASE64, 40) + '"',
    'ICON = "iVBORw0KGgo' + drawn(BASE64, 300) + '"',
    'DATA = "' + drawn(BASE64, 2000) + '"',
    'src="data:image/png;base64,' + drawn(BASE64, 300) + '"',
    'ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"',
    'text = "' + base64.b64encode(b"These are not the droids that you look for 1").decode() + '"',
    "https://example.com/a-long-path/with-many-words/and-a-date/2024-05-17/article-12345.html",
    'model = "openai/clip-vit-large-patch14-336"',
    "def test_retrieval_of_2_windows_in_100_000_lines_of_code():",
    "    _STUDYSPEC_PARAMETERSPEC_DOUBLEVALUESPEC._serialized_start=2472",
    'f"{self.__class__.__name__}(window_lines=20, slide_lines=10)"',
    '"sk-circle-fade-dot-animation-number-12"',
    'if "-----BEGIN ' + PRIVATE + '-----" in text:',
    armour("CERTIFICATE"),
    armour("PUBLIC KEY"),
    'password = "k3ttl3drum"  # pragma: allowlist secret',
]


@pytest.mark.parametrize("name", PLANTED)
def test_planted_secrets_are_found(name: str) -> None:
    """A secret is seen among other lines, and redacting takes it away and nothing else."""
    line, secret = PLANTED[name]
    text = "x = 1\n" + line.format(secret) + "\ny = 2\n"
    assert holds_secret(text)
    redacted = redact(text)
    assert secret not in redacted
    assert MASK in redacted
    assert [redacted.split("\n")[number] for number in (0, -2, -1)] == ["x = 1", "y = 2", ""]
    # An issuer's mark may be a part of the secret or stay before the mask.
    assert line.format("").split("=")[0].split(":")[0].split("(")[0] in redacted


def test_every_known_shape_is_planted() -> None:
    """The table of shapes has no row without an example here."""
    texts = [line.format(secret) for line, secret in PLANTED.values()]
    assert [shape for _, shape in KNOWN_SHAPES if not any(re.search(shape, text) for text in texts)] == []


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_lines_are_left_alone(text: str) -> None:
    """Placeholders, names, digests, identifiers, images, public keys: none is a secret."""
    assert redact(text) == text
    assert not holds_secret(text)


@pytest.mark.parametrize("label", [PRIVATE, f"RSA {PRIVATE}", f"OPENSSH {PRIVATE}", f"PGP {PRIVATE} BLOCK"])
def test_private_keys_are_blanked_line_by_line(label: str) -> None:
    """Each line of a block is masked; the marks, the other lines and their number stay."""
    block = armour(label)
    redacted = redact(f"before = 1\n{block}\nafter = 2").split("\n")
    marks = block.split("\n")
    assert redacted == ["before = 1", marks[0], *[MASK] * 7, marks[-1], "after = 2"]


@pytest.mark.parametrize(("first", "last"), [(0, 3), (1, 4), (2, 3), (5, 9), (7, 9)])
def test_parts_of_private_keys_are_seen(first: int, last: int) -> None:
    """A window may show the beginning, the middle or the end of a block."""
    lines = armour(f"RSA {PRIVATE}").split("\n")
    text = "\n".join(lines[first:last])
    assert holds_secret(text)
    assert not [line for line in lines[1:-1] if line in redact(text)]


def test_a_private_key_in_code() -> None:
    """A block in a string, with its line ends written out, as in a service account's JSON."""
    block = armour(PRIVATE)
    account = json.dumps(
        {"type": "service_account", "private_key": block + "\n", "client_email": "a@b.example"}
    )
    assert holds_secret(account)
    redacted = redact(account)
    assert not [line for line in block.split("\n")[1:-1] if line in redacted]
    assert '"client_email": "a@b.example"' in redacted
    assert block.split("\n")[0] in redacted
    pieces = "\n".join(f'    "{line}\\n"' for line in block.split("\n"))
    assert redact(pieces).count(MASK) == 7


@given(
    st.lists(
        st.sampled_from([line.format(secret) for line, secret in PLANTED.values()] + INNOCENT), max_size=6
    )
)
def test_redacting_is_thorough_and_keeps_lines(lines: list[str]) -> None:
    """No secret is left whatever is put together, all lines stay, and a second time changes nothing."""
    text = "\n".join(lines)
    redacted = redact(text)
    assert not holds_secret(redacted)
    assert redact(redacted) == redacted
    assert redacted.count("\n") == text.count("\n")
    assert holds_secret(text) == (redacted != text)


@given(st.text(max_size=300))
def test_any_text_is_borne(text: str) -> None:
    """There is no text that the search for secrets fails on."""
    assert redact(text).count("\n") == text.count("\n")


def test_random_keys_are_seldom_missed() -> None:
    """Of random literals beside a telling name nearly all are seen: the judgement by words errs rarely."""
    draw = random.Random(7)
    for alphabet, at_least in ((ALNUM, 190), (string.ascii_lowercase + string.digits, 190), (HEX, 198)):
        keys = ["".join(draw.choices(alphabet, k=32)) for _ in range(200)]
        assert sum(holds_secret(f'api_key = "{key}"') for key in keys) >= at_least


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line",
    [
        "a" * 10_000_000,
        "password=" * 100_000,
        "=\"'" * 300_000,
        "://a:" * 200_000,
        drawn(BASE64, 3_000_000),
        "key: " * 200_000,
        "password: " + "secret " * 300_000,
    ],
)
def test_long_lines_are_quick(line: str) -> None:
    """No line takes more than its length's time."""
    assert redact(line).count("\n") == 0


def test_a_secret_in_a_long_line() -> None:
    """It is found wherever it stands, and only it is masked."""
    secret = drawn(ALNUM, 32)
    line = "var a = 1;" * 5000 + f'apiKey = "{secret}";' + "var b = 2;" * 5000
    assert redact(line) == line.replace(secret, MASK)


def test_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key is shown to whoever gave it out: no connection is tried, no detector's `verify` is reached."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a secret was about to be sent")

    monkeypatch.setattr(socket.socket, "connect", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    for detector in get_mapping_from_secret_type_to_class().values():
        monkeypatch.setattr(detector, "verify", forbidden)
    for line, secret in PLANTED.values():
        assert holds_secret(f"{DRAW.random()} {line.format(secret)}")  # a text not seen before


def test_the_library_is_loaded_when_first_needed() -> None:
    """A text without suspects does not even import the detectors."""
    code = (
        "import sys; from bowerbird.knowledge.secrets import holds_secret; "
        "assert not holds_secret('x = 1'); assert 'detect_secrets' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
