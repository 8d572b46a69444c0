"""Sentences that any kind of document may hold, as grammars of `training.grammar`."""

# ALIAS is the noun phrase of a fact, VALUE what stands for it.
ALONE = [
    "the ALIAS (is|is|was) VALUE",
    "(our|its|the) ALIAS: VALUE",
    "ALIAS VALUE",
    "VALUE is the ALIAS",
    "{ALIAS: VALUE}",
    "(please note|note|for the record): ALIAS VALUE",
    "as ALIAS we have VALUE",
    "(we|I) have VALUE (down|noted|on file) as the ALIAS",
    "the ALIAS (given|listed|stated|recorded) is VALUE",
    "VALUE {ALIAS}",
    "for ALIAS, (see|put|use|write) VALUE",
    "the ALIAS should read VALUE",
    "(you will find|it shows) VALUE under ALIAS",
    "when asked about the ALIAS, the answer was VALUE",
    "VALUE as ALIAS",
    "with VALUE as the ALIAS",
    "the ALIAS is (still|now|currently) VALUE",
    "ALIAS = VALUE",
    "the ALIAS has been set to VALUE",
    "(this time|here|again) the ALIAS is VALUE",
    "we agreed on VALUE as the ALIAS",
    "(the|its) ALIAS (turned out to be|remains) VALUE",
    "VALUE - that is the ALIAS",
    "(it|this) has VALUE as its ALIAS",
    "ALIAS of VALUE",
    "the ALIAS, VALUE, (was confirmed|is correct|has not changed)",
    "(according to|as per) our records the ALIAS is VALUE",
    "ALIAS (is |)(listed|given|stated) as VALUE",
    "(they|we|he|she) (gave|named|mentioned) VALUE as the ALIAS",
]

NOISE = [
    "(please|kindly) (let us know|tell us|write back) (if|in case) (anything|something) is (unclear|missing|wrong)",
    "(thanks|thank you|many thanks) (for your patience|for your interest|in advance|for reading)",
    "(more|further) (details|information) (will follow|can be found on our website|on request)",
    "(we|I) (look forward to|are looking forward to) (hearing from you|your reply|seeing you)",
    "this (message|note|text) was (written|sent|typed) in a hurry",
    "the (weather|traffic|coffee) was (fine|terrible|as usual|better than expected)",
    "(nothing|not much) else to (report|add|say)",
    "all (figures|details|information) (without guarantee|subject to change)",
    "(sorry|apologies) for the (late reply|delay|confusion|long message)",
    "as (discussed|agreed|mentioned) (on the phone|last week|before|earlier)",
    "(feel free|do not hesitate) to (call|ask|get in touch)",
    "(some|a few) (readers|people|colleagues|visitors) (asked|wondered) about this (before|last time|yesterday)",
    "it was (a long day|quite a week|not easy|worth it)",
    "(see|have a look at) the (attachment|second page|back|notice board) (for more|too|as well)",
    "(no|not) (one|everyone) was (surprised|happy|informed)",
    "the (rest|remainder) (is|stays) (unchanged|as before|the same)",
    "(opinions|views) on this (differ|vary)",
    "(this|that) is (how it stands|all for now|the latest we have)",
    "(please|and) (keep|save) this (for your records|message|page)",
    "we (checked|read|copied) (this|everything) (twice|with care)",
]

GREETINGS = [
    "(Dear|Hello|Hi) (NAME|FIRST),", "(Hi|Hello|Hey) (all|team|everyone|there)(,|!)", "Dear (Sir or Madam|colleagues|customer|friends|neighbours),",
    "Good (morning|afternoon|evening)( FIRST|),", "(To whom it may concern|Greetings),", "FIRST,", "(Hey|Hi) FIRST(,| -|!)",
    "Dear (Mr|Ms|Mrs) NAME,", "Moin FIRST,", "(Quick|Short) (note|update):",
]
CLOSINGS = [
    "(Best|Kind|Warm) regards,\\nNAME", "(Best|Cheers|Thanks),\\nFIRST", "(Yours sincerely|Yours faithfully|Sincerely),\\nNAME",
    "(Thanks|Thank you|Many thanks)!\\nFIRST", "-- \\nNAME\\nMAIL", "NAME, (assistant|office|front desk|on behalf of the team)", "Greetings\\nFIRST",
    "(See you soon|Take care|All the best),\\nFIRST", "Sent from my phone", "NAME",
]
SUBJECTS = [
    "Subject: (your request|update|hello|news|as promised|question|information|for your files)\\n\\n",
    "From: MAIL\\nSubject: (Re: |Fwd: |)(details|your message|short update|please read)\\n\\n",
    "From: NAME\\nTo: (the office|everyone|our members)\\n\\n", "Re: (your call|our talk|the matter below)\\n\\n",
    "Date: DAY\\nFrom: NAME <MAIL>\\n\\n",
]
WRAPS = [
    "FIRST: (ok|hey|so)(,|) here (goes|it is)\\nFIRST: BODY\\n(me|you|Admin): (thanks|got it|great|noted)!", "[TIME] FIRST: BODY",
    "NAME (wrote|writes|says|posted): BODY", "(NOTICE|NEWS|UPDATE|INFO|MEMO|FYI)\\n\\nBODY", "\"BODY\"", "BODY\\n\\n(posted|entered|typed) by NAME, DAY",
    "> BODY", "(Update|Note|PS|Edit): BODY", "BODY\\n\\n(Page 1 of 2|Printed DAY|End of message|\\*\\*\\*|--)", "*** BODY ***",
    "(Voicemail|Phone message|Transcript), TIME: BODY", "NAME (asked|told) us to (pass this on|print this): BODY", "BODY #(info|news|update|today)",
    "<p>BODY</p>", "# (Overview|Summary|Details|Notes)\\n\\nBODY", "{TIME} BODY",
]
