"""Is a file still what it was when it was kept on disk?"""

from __future__ import annotations

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.reading import Reading, stamp_at
from bowerbird.knowledge.store.records import SECRET, Record, digest_of
from bowerbird.knowledge.utf8 import utf8_text


def recall(policy: Policy, path: str, record: Record) -> Reading | None:
    """What reading the file would bring, without its text; None where it has to be read anew.

    The policy is asked as for any file. An equal stamp means an equal file; under another stamp it is read,
    and the digest decides. Blocks.
    """
    if record.withheld == SECRET:
        return None
    verdict = policy.rules.file(path)
    if verdict.exclusion is not None or verdict.linked or verdict.admitted != record.admitted:
        return None
    stamp = stamp_at(path)
    if stamp is None:
        return None
    if stamp != record.stamp:
        reading = policy.read(path)
        if record.text is None or reading.text is None:
            return None
        if digest_of(utf8_text(reading.text)) != record.digest:
            return None
        stamp = reading.stamp
    exclusion = Exclusion(record.withheld) if record.withheld else None
    return Reading(None, exclusion, record.bytes, stamp, record.admitted)
