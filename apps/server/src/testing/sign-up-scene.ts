import { randomBytes } from 'node:crypto';
import { profile } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import { afterAll, beforeEach } from 'vitest';
import { profileRoutes } from '../accounts/profile/routes.ts';
import { signInRoutes } from '../accounts/sign-in/routes.ts';
import { signUpRoutes } from '../accounts/sign-up/routes.ts';
import { userRoutes } from '../accounts/users/routes.ts';
import { startMailDelivery } from '../operations/mail/mail.ts';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import { setOptions } from './set-options.ts';
import {
  type FeatureApp,
  type FeatureAppOptions,
  type Part,
  runInBackground,
  serveRoutes,
  useFeatureApp,
} from './start-feature-app.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export const SITE = 'https://gate.example';
/** Seconds within which a requested mail is queued. */
export const MAIL_DELAY = 0.5;

export interface SignUpScene {
  app: FeatureApp;
  mails: MailServer;
  setSettings: (options: Readonly<Record<string, string>>) => Promise<void>;
  /** Returns a known browser without a session. */
  openBrowser: () => Visitor;
  /** Requests a code and reads it in the mail. */
  requestCode: (from: Visitor, email: string) => Promise<string>;
  /** Requests a reset link and reads its token in the mail. */
  requestResetToken: (email: string) => Promise<string>;
  signIn: (from: Visitor, username: string, password: string) => Promise<Response>;
}

/**
 * Starts a site that verifies mail addresses, with a mail server. Rate limits expire between tests.
 * @param parts further routes of the server
 */
export async function useSignUpScene(
  options: FeatureAppOptions = {},
  parts: readonly Part[] = [],
): Promise<SignUpScene> {
  const app = await useFeatureApp(
    [
      serveRoutes(profile, profileRoutes),
      serveRoutes(signIn, signInRoutes),
      serveRoutes(signUp, signUpRoutes),
      serveRoutes(users, userRoutes),
      runInBackground(startMailDelivery),
      ...parts,
    ],
    options,
  );
  const mails = await startMailServer();
  afterAll(() => mails.close());
  beforeEach(() => app.clock.advance(3_600));
  const set = (settings: Readonly<Record<string, string>>) => setOptions(app.ctx, settings);
  /** Skips mails to other addresses. */
  const nextTo = async (email: string): Promise<ReceivedMail> => {
    const mail = await mails.waitForNext();
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
    setSettings: set,
    openBrowser: () => createVisitor(app.url, { cookie: `switchyard_device=${randomBytes(32).toString('base64url')}` }),
    async requestCode(from, email) {
      await from.api(signUp).sendCode({ query: { email } });
      app.clock.advance(MAIL_DELAY);
      return extractCode(await nextTo(email));
    },
    async requestResetToken(email) {
      await app.anonymous.api(signUp).sendResetLink({ query: { email } });
      app.clock.advance(MAIL_DELAY);
      return extractToken(await nextTo(email));
    },
    signIn: (from, username, password) =>
      from.fetch('/api/user/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
      }),
  };
}

export const extractCode = ({ text }: ReceivedMail): string => /\b\d{8}\b/.exec(text)?.[0] ?? 'no code';
const extractToken = ({ text }: ReceivedMail): string => /#token=([\w-]+)/.exec(text)?.[1] ?? 'no token';
