import { randomBytes } from 'node:crypto';
import { signUp } from '@switchyard/contract/sign-up';
import { afterAll, beforeEach } from 'vitest';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import { setOptions } from './set-options.ts';
import type { TestApp, TestAppOptions } from './start-test-app.ts';
import { useTestApp } from './use-test-app.ts';
import { type Visitor, visitor } from './visitor.ts';

export const SITE = 'https://gate.example';

export interface SignUpScene {
  app: TestApp;
  mails: MailServer;
  set: (options: Readonly<Record<string, string>>) => Promise<void>;
  /** A browser that has been here before, but in which nobody is signed in. */
  browser: () => Visitor;
  /** Asks for a code and reads it in the mail. */
  askCode: (from: Visitor, email: string) => Promise<string>;
  /** Asks for a reset link and reads its token in the mail. */
  askResetToken: (email: string) => Promise<string>;
  signIn: (from: Visitor, username: string, password: string) => Promise<Response>;
}

/** A site that verifies mail addresses, with a mail server. Between two tests the limits of tries run out. */
export async function useSignUpScene(options: TestAppOptions = {}): Promise<SignUpScene> {
  const app = await useTestApp(options);
  const mails = await startMailServer();
  afterAll(() => mails.close());
  beforeEach(() => app.clock.advance(3_600));
  const set = (settings: Readonly<Record<string, string>>) => setOptions(app.ctx, settings);
  /** Passes over mails that others caused. */
  const nextTo = async (email: string): Promise<ReceivedMail> => {
    const mail = await mails.next();
    return mail.to.toLowerCase() === email.toLowerCase() ? mail : nextTo(email);
  };
  await set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mails.port),
    SMTPFrom: 'gate@gate.example',
    ServerAddress: SITE,
    Language: 'en_US',
    EmailVerificationEnabled: 'true',
  });
  return {
    app,
    mails,
    set,
    browser: () => visitor(app.url, { cookie: `switchyard_device=${randomBytes(32).toString('base64url')}` }),
    async askCode(from, email) {
      await from.api(signUp).sendCode({ query: { email } });
      return codeIn(await nextTo(email));
    },
    async askResetToken(email) {
      await app.anyone.api(signUp).sendResetLink({ query: { email } });
      return tokenIn(await nextTo(email));
    },
    signIn: (from, username, password) =>
      from.fetch('/api/user/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
      }),
  };
}

export const codeIn = ({ text }: ReceivedMail): string => /\b\d{8}\b/.exec(text)?.[0] ?? 'no code';
const tokenIn = ({ text }: ReceivedMail): string => /#token=([\w-]+)/.exec(text)?.[1] ?? 'no token';
