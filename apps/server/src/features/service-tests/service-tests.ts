/** Asks services that the settings name something harmless, and says what is wrong with the settings. */
import { randomBytes } from 'node:crypto';
import type { TestedService } from '@switchyard/contract/service-tests';
import type { SettingName } from '@switchyard/contract/settings';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import { publicAddress } from '../../platform/public-address.ts';
import { github } from '../identities/github.ts';
import { lark } from '../identities/lark.ts';
import { createOidc } from '../identities/oidc.ts';
import { type Provider, ProviderRefused } from '../identities/provider.ts';
import { wechat } from '../identities/wechat.ts';
import { testHumanCheck } from '../sign-up/turnstile.ts';
import { callBot } from '../telegram/bot-api.ts';

const DEADLINE_MS = 10_000;

interface Test {
  /** Without it the service is not set up. */
  needs: SettingName;
  /** @returns what the service calls itself, else '' */
  run: (ctx: Context) => Promise<string>;
}

const tests: Readonly<Record<TestedService, Test>> = {
  github: { needs: 'githubClientId', run: (ctx) => askForNobody(ctx, github) },
  oidc: { needs: 'oidcIssuer', run: (ctx) => askForNobody(ctx, createOidc()) },
  lark: { needs: 'larkClientId', run: (ctx) => askForNobody(ctx, lark) },
  wechat: { needs: 'wechatServerAddress', run: (ctx) => askForNobody(ctx, wechat) },
  telegram: { needs: 'telegramBotToken', run: nameOfBot },
  turnstile: { needs: 'turnstileSecret', run: testHumanCheck },
};

/** @throws AppError `not-set-up`, or `upstream-failed` with the reason in its message */
export async function testService(ctx: Context, service: TestedService): Promise<string> {
  const { needs, run } = tests[service];
  if (ctx.settings[needs] === '') throw new AppError('not-set-up', 'It is not set up');
  try {
    return await run(ctx);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-set-up') throw error;
    throw new AppError('upstream-failed', reasonOf(error), { cause: error });
  }
}

/** A provider that says that it does not know the code has taken everything else. */
async function askForNobody(ctx: Context, provider: Provider): Promise<string> {
  const random = () => randomBytes(32).toString('base64url');
  const redirectUri = `${publicAddress(ctx)}/oauth/${provider.name}`;
  try {
    await provider.identify(
      ctx,
      { code: random(), iss: '' },
      { redirectUri, verifier: random(), nonce: random() },
    );
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
  }
  return '';
}

/** https://core.telegram.org/bots/api#getme */
async function nameOfBot(ctx: Context): Promise<string> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const { username } = await callBot(ctx, 'getMe', { schema: z.object({ username: z.string() }), signal });
  return `@${username}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'It did not answer as it should';
}
