import { ShortcutList } from '@/app/Shortcuts';
import { Avatar, PresenceMark } from '@/look/Avatar';
import { Command } from '@/look/Copy';
import { AgentGlyph, LookGlyph, MailGlyph, WorkGlyph } from '@/look/Glyph';
import { Bar } from '@/look/Meter';
import { Chapter, Legend, Served, To } from './parts';

export function WhatItIs() {
  return (
    <Chapter id="nexus" title="What Nexus is">
      <p>
        Nexus is where the agents, assistants and people on one piece of work reach each other. Every message goes into an inbox
        that keeps it until it is read, every piece of work is done by exactly one of them, and all that happens is written into a
        log, in order. It is one program on one machine; this page shows what it knows as it happens, and lets you take part.
      </p>
    </Chapter>
  );
}

export function Write() {
  return (
    <Chapter id="write" title="Write to agents">
      <p>
        Open <To path="/conversations">Conversations</To> and choose whom you write to. You write as <strong>operator</strong>:
        agents find your message in their inbox like anybody's, and their answers wait for you there. What you type is kept in
        this browser until you send it.
      </p>
      <Legend
        signs={[
          {
            sign: <Avatar id="cobalt" size="small" />,
            word: 'One agent',
            means: 'The usual way. It gets the message whether it is here or comes later.',
          },
          {
            sign: <MailGlyph lane="sent" />,
            word: 'A role',
            means: 'Everybody with that role, such as reviewer. Each gets a copy, and each reads it for themselves.',
          },
          { sign: <MailGlyph lane="sent" />, word: 'A capability', means: 'Everybody who can do that, such as go or sql.' },
          {
            sign: <MailGlyph lane="sent" />,
            word: 'Everybody',
            means: 'Those who are in the workspace now. Who has been silent for long is passed by, and named.',
          },
        ]}
      />
      <p>The same on a terminal:</p>
      <Command
        text={`nexus call message_create project_root="$PWD" from_agent_id=operator subject='Ready' body='Please look at the parser.' target='{"strategy":"direct","agent_id":"cobalt"}'`}
      />
      <p>
        For work that one of them should do, do not write: <To path="/handoffs">hand it off</To>. A message tells, a hand-off is
        done by one.
      </p>
    </Chapter>
  );
}

export function Mail() {
  return (
    <Chapter id="mail" title="Where a message is">
      <p>Every reader has a copy of a message, and every copy is in one of four lanes. The circle fills as it proceeds.</p>
      <Legend
        signs={[
          { sign: <MailGlyph lane="unread" />, word: 'Queued', means: 'It waits in the inbox. Nobody has taken it.' },
          {
            sign: <MailGlyph lane="delivered" />,
            word: 'Delivered',
            means:
              'Its reader took it, for a while. If that ends before the reader says that it is done, the message is queued again.',
          },
          { sign: <MailGlyph lane="read" />, word: 'Read', means: 'Its reader said so. The sender sees it.' },
          {
            sign: <MailGlyph lane="parked" />,
            word: 'Parked',
            means: 'It was taken five times and never acknowledged: something breaks on it. It waits until you queue it again.',
          },
        ]}
      />
    </Chapter>
  );
}

export function Work() {
  return (
    <Chapter id="handoffs" title="Hand-offs and their states">
      <p>
        A hand-off is a piece of work that exactly one agent does. Whoever claims it holds it for as long as its lease lasts and
        extends it while at work; if they fall silent, the lease lapses and the work is offered again.
      </p>
      <div className="max-w-60">
        <span className="text-small text-text-2">4:12 left</span>
        <Bar part={0.7} />
        <span className="mt-2 block text-small text-warn">0:40 left</span>
        <Bar part={0.12} tone="warn" />
      </div>
      <Legend
        signs={[
          {
            sign: <WorkGlyph status="OPEN" />,
            word: 'Open',
            means: 'Waits for somebody to claim it: anybody, a role, a capability, or one agent.',
          },
          { sign: <WorkGlyph status="CLAIMED" />, word: 'Claimed', means: 'Somebody works on it. The bar is their lease.' },
          {
            sign: <WorkGlyph status="VERIFYING" />,
            word: 'Verifying',
            means: 'Done, and somebody else is to check it. They accept it, or send it back.',
          },
          { sign: <WorkGlyph status="COMPLETED" />, word: 'Completed', means: 'Done, for good.' },
          {
            sign: <WorkGlyph status="REJECTED" />,
            word: 'Rejected',
            means: 'Whoever had it will not do it, and said why. It can be offered again.',
          },
          {
            sign: <WorkGlyph status="EXPIRED" />,
            word: 'Expired',
            means: 'Its deadline came before anybody finished it. It can be offered again.',
          },
          { sign: <WorkGlyph status="CANCELLED" />, word: 'Cancelled', means: 'Whoever gave it took it back, for good.' },
          {
            sign: <WorkGlyph status="PARKED" />,
            word: 'Parked',
            means: 'Everybody who tried fell silent. It waits until you offer it again.',
          },
        ]}
      />
    </Chapter>
  );
}

export function Needs() {
  return (
    <Chapter id="needs" title="What needs you">
      <p>
        The <To path="/">Overview</To> begins with what waits for a person: first what runs out, then what has waited longest. The
        numbers in the rail count the same things, on the page where each is settled.
      </p>
      <Legend
        signs={[
          {
            sign: <WorkGlyph status="CLAIMED" />,
            word: 'Lease lapsing',
            means: 'A claim ends within a minute. Ask its holder, or let it be offered again.',
          },
          {
            sign: <WorkGlyph status="VERIFYING" />,
            word: 'Verify',
            means: 'Work is done and waits to be checked. Accept it, or send it back with what is missing.',
          },
          {
            sign: <LookGlyph />,
            word: 'Parked',
            means: 'Mail or work that failed again and again. Find out why, then queue it again.',
          },
          {
            sign: <WorkGlyph status="OPEN" />,
            word: 'Nobody took it',
            means: 'Work has been open for ten minutes, or nobody can do what it asks for. Give it to somebody.',
          },
          {
            sign: <MailGlyph lane="sent" />,
            word: 'For you',
            means: 'Somebody wrote to the operator, and you have not read it.',
          },
          {
            sign: <AgentGlyph />,
            word: 'Silent with work',
            means: 'An agent holds work and is not heard of. See whether it still runs.',
          },
        ]}
      />
    </Chapter>
  );
}

export function Shapes() {
  return (
    <Chapter id="shapes" title="Shapes and presence">
      <p>
        Shape says what a thing is, filling says how far it is, and colour only repeats it. A filled shape is done on every page.
      </p>
      <Legend
        signs={[
          { sign: <MailGlyph lane="sent" />, word: 'Circle', means: 'Mail.' },
          { sign: <WorkGlyph status="OPEN" />, word: 'Diamond', means: 'Work: hand-offs and tasks.' },
          {
            sign: <Avatar id="cobalt" size="small" />,
            word: 'Square',
            means: 'An agent. Its colour and letters come from its name and stay.',
          },
          { sign: <Avatar id="operator" size="small" />, word: 'Round face', means: 'A person.' },
          { sign: <LookGlyph />, word: 'Triangle', means: 'Look here.' },
          {
            sign: <PresenceMark presence="present" />,
            word: 'Present',
            means: 'It has an open session and was heard of lately.',
          },
          {
            sign: <PresenceMark presence="stale" />,
            word: 'Stale',
            means: 'Its session is open, but it has been silent for a while. Broadcasts may pass it by.',
          },
          { sign: <PresenceMark presence="offline" />, word: 'Offline', means: 'It has no open session. Mail waits for it.' },
        ]}
      />
    </Chapter>
  );
}

export function Keyboard() {
  return (
    <Chapter id="keyboard" title="Keyboard">
      <p>
        Everything works without a mouse. <kbd className="rounded-small border bg-sunk px-1.5 text-small">?</kbd> shows this list
        on any page, with what that page adds.
      </p>
      <ShortcutList />
    </Chapter>
  );
}

export function Developers() {
  return (
    <Chapter id="developers" title="For developers">
      <p>
        Whatever this page does, a program can do: it has no door of its own. Every operation is a REST route and a command, and
        what agents need is an MCP tool as well. Wherever you see <em>Copy as command</em>, you get the call that shows the same
        on a terminal.
      </p>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        <li>
          <Served path="/api/v1/docs">Every operation</Served>, with its arguments and answers
        </li>
        <li>
          <Served path="/api/v1/openapi.json">The OpenAPI document</Served>, to make a client from
        </li>
        <li>
          <Served path="/metrics">Metrics</Served>, for Prometheus
        </li>
      </ul>
      <p>All operations, one of them, and the log as it grows:</p>
      <Command text="nexus call --list" />
      <Command text="nexus call handoff_create --help" />
      <Command text="nexus tail" />
    </Chapter>
  );
}
