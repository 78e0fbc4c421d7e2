/** SMTP server on this machine that stores received mails and can simulate errors. */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { sleep, systemTimers } from '../platform/clock.ts';
import { type ParsedMail, parseMail } from './read-mail.ts';

export interface ReceivedMail extends ParsedMail {
  /** All recipients of the envelope, separated by commas. */
  to: string;
  from: string;
  subject: string;
  /** True if it arrived over an encrypted connection. */
  encrypted: boolean;
  /** Account that signed in to send it. */
  account: string | undefined;
}

export type Stage = 'connect' | 'recipient' | 'data' | 'taken';

/**
 * Behaviour of the server at a stage. `silent`: never responds; `drop`: closes the connection, only for servers
 * without TLS, because Node crashed when the socket of a TLS connection was destroyed here; a text is a rejection
 * that begins with its code. At `taken` the mail is stored already, and only the response is missing.
 */
export type Behaviour = (stage: Stage, address: string) => Reaction | Promise<Reaction>;
type Reaction = 'go-on' | 'silent' | 'drop' | `${number} ${string}`;

export interface MailServerOptions {
  /** Absent: any free port. */
  port?: number;
  /** Certificate for STARTTLS, or for TLS from the start if `secure` is set. */
  certificate?: { key: string; cert: string };
  secure?: boolean;
  /** Required account. */
  account?: { user: string; password: string };
}

export interface MailServer {
  port: number;
  /** All received mails, in order. */
  messages: readonly ReceivedMail[];
  /** Returns the next message that was not returned yet, and waits for it. @throws after ten seconds */
  waitForNext(): Promise<ReceivedMail>;
  setBehaviour(behaviour: Behaviour): void;
  close(): Promise<void>;
}

const WAIT_TIMEOUT_MS = 60_000;

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const messages: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let behaviour: Behaviour = () => 'go-on';
  let commandCount = 0;

  const meet = async (stage: Stage, address: string, done: (error?: Error) => void): Promise<void> => {
    const reaction = await behaviour(stage, address);
    if (reaction === 'go-on') done();
    else if (reaction === 'drop') for (const socket of sockets) socket.destroy();
    else if (reaction !== 'silent') done(refusal(reaction));
  };
  const smtp = createSmtp(options, {
    meet: (stage, address, done) => void meet(stage, address, done),
    keep: (message) => void messages.push(message),
  });
  const server: Server = smtp.listen(options.port ?? 0, '127.0.0.1');
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server, 'listening');
  const bound = server.address();

  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    messages,
    async waitForNext() {
      const end = performance.now() + WAIT_TIMEOUT_MS;
      for (;;) {
        const message = messages[commandCount];
        if (message !== undefined) {
          commandCount += 1;
          return message;
        }
        if (performance.now() > end) throw new Error('No mail has come');
        await sleep(systemTimers, 5);
      }
    },
    setBehaviour: (next) => {
      behaviour = next;
    },
    async close() {
      await new Promise<void>((resolve) => smtp.close(resolve));
    },
  };
}

interface Events {
  meet(stage: Stage, address: string, done: (error?: Error) => void): void;
  keep(message: ReceivedMail): void;
}

function createSmtp({ certificate, secure = false, account }: MailServerOptions, events: Events): SMTPServer {
  const disabledCommands = [
    ...(certificate === undefined ? ['STARTTLS'] : []),
    ...(account === undefined ? ['AUTH'] : []),
  ];
  const smtp = new SMTPServer({
    ...certificate,
    secure,
    disabledCommands,
    allowInsecureAuth: true,
    authOptional: account === undefined,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: (_session, done) => events.meet('connect', '', done),
    onAuth: ({ username, password }, _session, done) => {
      if (username === account?.user && password === account?.password) done(null, { user: username });
      else done(refusal('535 5.7.8 wrong account or password'));
    },
    onRcptTo: ({ address }, _session, done) => events.meet('recipient', address, done),
    onData: (stream, session, answer) => {
      events.meet('data', '', (refused) => {
        void text(stream).then((raw) => {
          if (refused !== undefined) return answer(refused);
          events.keep(parseReceivedMail(raw, session));
          events.meet('taken', '', answer);
        });
      });
    },
  });
  // Tests close connections on purpose.
  smtp.on('error', () => {});
  return smtp;
}

function parseReceivedMail(raw: string, session: SMTPServerSession): ReceivedMail {
  const mail = parseMail(raw);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    ...mail,
    to: rcptTo.map(({ address }) => address).join(','),
    from: mailFrom === false ? '' : mailFrom.address,
    subject: mail.headers.get('subject') ?? '',
    encrypted: session.secure,
    account: session.user,
  };
}

function refusal(said: string): Error {
  const [code = '', ...words] = said.split(' ');
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) });
}
