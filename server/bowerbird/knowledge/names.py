"""What a name alone tells: secrets, dependencies, binaries, files that programs write.

The tables hold patterns as in an ignore file; they are compared with names in lower case.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import pairwise

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.wildmatch import SPECIAL, parse_pattern

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs"})
"""Never entered, and nothing lets them in."""

SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".password-store"})
"""Folders in which programs keep keys; never entered either."""

SECRET_PLACES = frozenset(
    {(".docker", "config.json"), (".kube", "config"), (".m2", "settings.xml"), (".config", "gcloud")}
)
"""A folder and an entry in it that is secret only there."""

SECRET_NAMES = """
.env  .env.*  .env-*  .env_*  *.env  .envrc
!.env.example  !.env.sample  !.env.template  !.env.dist  !.env.defaults  !.env.schema  !.env-example
!.env-sample
!.env.*.example  !.env.*.sample  !.env.*.template  !example.env  !sample.env  !template.env
id_rsa*  id_dsa*  id_ecdsa*  id_ed25519*  !id_*.pub
*.pem  *.key  *.p8  *.p12  *.pfx  *.pkcs12  *.ppk  *.agekey  *.jks  *.jceks  *.bcfks  *.keystore  *.keytab
*.kdb  *.kdbx  *.1pif  *.agilekeychain  *.keychain  *.keychain-db  *.gpg  *.pgp  *.ovpn  *.mobileprovision
.netrc  _netrc  .pgpass  pgpass.conf  .my.cnf  .mylogin.cnf  .npmrc  .pypirc  .htpasswd  .htdigest
.git-credentials  .dockercfg  .dockerconfigjson  .boto  .s3cfg  .vault-token  .vault_pass*  rclone.conf
credentials  credentials.json  credentials.yml  credentials.yaml  credentials.yml.enc  credentials.toml
credentials.ini  credentials.csv  credentials.txt  credentials.xml  credentials.properties
secrets.yml  secrets.yaml  secrets.json  secrets.toml  secrets.ini  secret.yml  secret.yaml  secret.json
*.secret  *.secrets  client_secret*.json  client-secret*.json  service-account*.json  service_account*.json
*serviceaccountkey*.json  application_default_credentials.json  local.settings.json
kubeconfig  *.kubeconfig  *.tfstate  *.tfstate.*  *.tfvars  *.tfvars.json  .*_history
wallet.dat  logins.json  key3.db  key4.db
"""
"""Files that hold secrets; those with ``!`` are spared."""

DEPENDENCY_FOLDERS = """
node_modules/  bower_components/  jspm_packages/  .yarn/  .pnpm-store/  .next/  .nuxt/  .svelte-kit/
.angular/  .parcel-cache/  .turbo/  .cache/  .sass-cache/  .nyc_output/  .serverless/  elm-stuff/
__pycache__/  __pypackages__/  site-packages/  *.egg-info/  *.dist-info/  *.egg/  .eggs/  .venv/  .tox/  .nox/
.mypy_cache/  .pytest_cache/  .ruff_cache/  .pytype/  .hypothesis/  .ipynb_checkpoints/
.gradle/  .ivy2/  .dart_tool/  .pub-cache/  .bundle/  .stack-work/  .cabal-sandbox/  dist-newstyle/
.terraform/  CMakeFiles/  cmake-build-*/  DerivedData/  .vs/  .idea/  .vscode-test/
"""
"""Folders that belong to dependencies, builds and caches."""

DEPENDENCY_MARKS: tuple[tuple[str, str], ...] = (
    ("", "pyvenv.cfg"),
    ("", "conda-meta"),
    ("", "CACHEDIR.TAG"),
    ("vendor", "modules.txt"),
    ("vendor", "autoload.php"),
    ("vendor", "bundle"),
)
"""Name of a folder (empty: any) and an entry that tells what it is: a virtual environment, a cache, what
Go, Composer and Bundler bring."""

GENERATED_NAMES = """
package-lock.json  npm-shrinkwrap.json  packages.lock.json  yarn.lock  pnpm-lock.yaml  bun.lock  deno.lock
poetry.lock  pdm.lock  uv.lock  pixi.lock  pipfile.lock  conda-lock.yml  cargo.lock  composer.lock
gemfile.lock  go.sum  go.work.sum  mix.lock  rebar.lock  pubspec.lock  podfile.lock  cartfile.resolved
package.resolved  flake.lock  gradle.lockfile  .terraform.lock.hcl  stack.yaml.lock  module.bazel.lock
.pnp.cjs  .pnp.loader.mjs  *.js.map  *.mjs.map  *.cjs.map  *.css.map  *.ts.map  *_pb2.py  *_pb2.pyi
*_pb2_grpc.py  *.pb.go  *.pb.cc  *.pb.h  *.g.dart  *.freezed.dart  *.designer.cs  *.g.cs  *.g.i.cs
"""
"""Files that programs write, lock files first."""

MINIFIED_NAMES = """
*.min.js  *.min.mjs  *.min.cjs  *.min.css  *-min.js  *-min.css  *.bundle.js  *.chunk.js
"""

BINARY_NAMES = """
*.7z *.a *.aac *.apk *.avi *.avif *.bin *.bmp *.bz2 *.cab *.class *.ckpt *.db *.db3 *.deb *.dll *.dmg *.doc
*.docx *.dylib *.ear *.eot *.epub *.exe *.flac *.flv *.gguf *.gif *.glb *.gz *.h5 *.hdf5 *.heic *.ico *.icns
*.img *.iso *.jar *.jpeg *.jpg *.lz4 *.lzma *.m4a *.m4v *.mkv *.mov *.mp3 *.mp4 *.mpeg *.mpg *.msi *.npy
*.npz *.o *.odp *.ods *.odt *.ogg *.onnx *.otf *.parquet *.pcap *.pdb *.pdf *.pickle *.pkl *.png *.ppt
*.pptx *.psd *.pth *.pyc *.pyd *.pyo *.rar *.rlib *.rpm *.safetensors *.so *.so.* *.sqlite *.sqlite3 *.swf
*.tar *.tflite *.tgz *.tif *.tiff *.ttf *.wasm *.wav *.webm *.webp *.whl *.wma *.wmv *.woff *.woff2 *.xls
*.xlsx *.xz *.zip *.zst .ds_store
"""
"""What is known not to be text, so that it need not be opened. Other binaries are known by their content."""


class Names:
    """One table, ready to be asked."""

    def __init__(self, table: str) -> None:
        words = [word for word in table.split() if not word.startswith("!")]
        self._suffixes = frozenset(word[1:] for word in words if _is_suffix(word))
        self._meant = _any_of(word for word in words if not _is_suffix(word))
        self._spared = _any_of(word[1:] for word in table.split() if word.startswith("!"))

    def __contains__(self, name: str) -> bool:
        dots = (index for index, char in enumerate(name) if char == ".")
        if any(name[dot:] in self._suffixes for dot in dots) or self._meant.fullmatch(name):
            return self._spared.fullmatch(name) is None
        return False


def _is_suffix(word: str) -> bool:
    """Such as ``*.pem``: looked up, not matched."""
    return word.startswith("*.") and not SPECIAL & set(word[1:])


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    patterns = filter(None, map(parse_pattern, words))
    return re.compile("|".join(pattern.regex for pattern in patterns) or "(?!)")


_FILES: tuple[tuple[Names, Exclusion], ...] = (
    (Names(SECRET_NAMES), Exclusion.SECRET_NAME),
    (Names(BINARY_NAMES), Exclusion.BINARY),
    (Names(GENERATED_NAMES), Exclusion.GENERATED),
    (Names(MINIFIED_NAMES), Exclusion.MINIFIED),
)


def file_exclusion(name: str, folder: str) -> Exclusion | None:
    """Why no file of this name is read; `folder` is the name of the folder that it stands in."""
    lower = name.lower()
    if lower in VERSION_CONTROL:  # where a working tree is linked, `.git` is a file
        return Exclusion.VERSION_CONTROL
    if (folder.lower(), lower) in SECRET_PLACES:
        return Exclusion.SECRET_NAME
    return next((reason for names, reason in _FILES if lower in names), None)


def folder_exclusion(name: str, folder: str) -> Exclusion | None:
    """Why no folder of this name is ever entered, whatever ignore files say."""
    lower = name.lower()
    if lower in VERSION_CONTROL:
        return Exclusion.VERSION_CONTROL
    if lower in SECRET_FOLDERS or (folder.lower(), lower) in SECRET_PLACES:
        return Exclusion.SECRET_NAME
    return None


def path_exclusion(path: str) -> Exclusion | None:
    """Why no file at this absolute path is read, by its own name and those of all folders above it."""
    *folders, name = path.split(os.sep)
    for above, folder in pairwise(folders):
        if (exclusion := folder_exclusion(folder, above)) is not None:
            return exclusion
    return file_exclusion(name, folders[-1] if folders else "")
