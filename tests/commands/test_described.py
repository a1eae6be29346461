"""What a system says of itself before it is published."""

from __future__ import annotations

from sekkei.commands.described import described


def test_a_system_with_everything_around_its_design() -> None:
    found = described("chiipochi")
    assert found is not None
    assert [design.name for design in found.designs[1:]] == ["runtime", "web"]
    assert "/webhook" in found.webhooks
    assert "stripe_secret_key" in found.settings.secret
    assert "mail_from" in found.settings.plain
    assert [table.name for table in found.streams] == ["donation_history"]
    assert found.sends_mail
    assert {design.name for design in found.designs} == set(found.calls)


def test_a_design_alone_has_nothing_around_it() -> None:
    assert described("sekkei.runtime") is None
