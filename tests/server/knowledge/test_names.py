"""What a name alone tells."""

import pytest

from bowerbird.knowledge.names import file_exclusion


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".env.local", ".env.production", "prod.env", ".ENV", ".envrc", ".env-prod"),
        *(
            "id_rsa",
            "id_ed25519",
            "id_rsa_work",
            "server.pem",
            "tls.key",
            "a.p12",
            "a.pfx",
            "vault.kdbx",
            "a.ppk",
        ),
        *(
            ".netrc",
            "_netrc",
            ".pgpass",
            ".npmrc",
            ".pypirc",
            ".htpasswd",
            ".git-credentials",
            ".bash_history",
        ),
        *("credentials", "credentials.json", "secrets.yaml", "client_secret_12.json", "service-account.json"),
        *(
            "app.keystore",
            "app.jks",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "prod.tfvars",
            "kubeconfig",
        ),
        *(".docker/config.json", ".kube/config", ".m2/settings.xml", "my-firebase-serviceAccountKey.json"),
    ],
)
def test_secrets_are_known_by_their_names(path: str) -> None:
    """Files that programs and people keep secrets in are out, in any case of letters."""
    folder, _, name = path.rpartition("/")
    assert file_exclusion(name, folder) == "secret-name"
    assert file_exclusion(name.upper(), folder) == "secret-name"


@pytest.mark.parametrize(
    "path",
    [
        *(".env.example", ".env.sample", ".env.template", ".env.local.example", "environment.py", "env.py"),
        *(
            "id_rsa.pub",
            "keys.py",
            "key.py",
            "credentials.py",
            "secrets.py",
            "secret.go",
            "tokens.rs",
            "passwords.md",
        ),
        *(
            "config.json",
            "config",
            "settings.xml",
            "package.json",
            ".gitignore",
            ".dockerignore",
            "Dockerfile",
        ),
        *("main.tf", "history.py", ".editorconfig", "Makefile", "lock.py", "bundle.js", "admin.js", "min.js"),
    ],
)
def test_code_about_secrets_is_no_secret(path: str) -> None:
    """Examples, public keys and modules named after secrets are read."""
    folder, _, name = path.rpartition("/")
    assert file_exclusion(name, folder) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("logo.PNG", "binary"),
        ("libc.so.6", "binary"),
        ("model.gguf", "binary"),
        ("package-lock.json", "generated"),
        ("Cargo.lock", "generated"),
        ("shop_pb2.py", "generated"),
        ("app.js.map", "generated"),
        ("jquery-3.7.1.min.js", "minified"),
        (".git", "version-control"),
    ],
)
def test_other_names(name: str, reason: str) -> None:
    """Binaries, files that programs write and minified ones are known without opening them."""
    assert file_exclusion(name, "") == reason
