/** Tests configured services by a harmless call, and reports errors of the settings. */
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { TestedService } from '@switchyard/contract/operations/service-connection-tests';
import { type SettingName, settingDefinitions } from '@switchyard/contract/operations/settings';
import { testProvider } from '../../accounts/identities/identities.ts';
import { testCaptcha } from '../../accounts/sign-up/sign-up.ts';
import { testBucket } from '../../artifacts/artifacts.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { fetchBotName } from '../telegram/telegram.ts';

const DEADLINE_MS = 10_000;

interface ServiceTest {
  /** Setting without which the service is not set up. */
  needs: SettingName;
  /** @returns the name that the service reports, else '' */
  run: (ctx: Context) => Promise<string>;
}

const createSignInTest = (needs: SettingName, provider: IdentityProvider): ServiceTest => ({
  needs,
  run: async (ctx) => {
    await testProvider(ctx, provider);
    return '';
  },
});

const tests: Readonly<Record<TestedService, ServiceTest>> = {
  github: createSignInTest('githubClientId', 'github'),
  oidc: createSignInTest('oidcIssuer', 'oidc'),
  lark: createSignInTest('larkClientId', 'lark'),
  wechat: createSignInTest('wechatServerAddress', 'wechat'),
  telegram: {
    needs: 'telegramBotToken',
    run: async (ctx) => `@${await fetchBotName(ctx, AbortSignal.timeout(DEADLINE_MS))}`,
  },
  turnstile: {
    needs: 'turnstileSecret',
    run: async (ctx) => {
      await testCaptcha(ctx);
      return '';
    },
  },
  s3: {
    needs: 'resultBucketSecret',
    run: async (ctx) => {
      await testBucket(ctx);
      return '';
    },
  },
};

/** @throws AppError `not-set-up`, or `upstream-failed` with the reason in its message */
export async function testService(ctx: Context, service: TestedService): Promise<string> {
  const { needs, run } = tests[service];
  if (ctx.settings[needs] === '') {
    const { option } = settingDefinitions[needs];
    throw new AppError('not-set-up', `This service is not set up. Set ${option} in the settings.`);
  }
  try {
    return await run(ctx);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-set-up') throw error;
    throw new AppError('upstream-failed', describeFailure(error), { cause: error });
  }
}

function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'The service returned an unexpected response';
}
