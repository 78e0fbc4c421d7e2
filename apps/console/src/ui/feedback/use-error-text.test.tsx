import type { ErrorCode, FieldError } from '@switchyard/contract/errors';
import { ApiError } from '@switchyard/contract/http-exchange';
import { renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { switchLanguage } from '../../i18n/i18n.ts';
import { useErrorText } from './use-error-text.ts';

afterEach(() => switchLanguage('en_US'));

const textOf = (error: unknown): string => renderHook(useErrorText).result.current(error);

interface Detail {
  fields?: FieldError[];
  retryAfterSeconds?: number;
}
const refused = (code: ErrorCode, message: string, detail: Detail = {}) =>
  new ApiError(code, message, { status: 400, ...detail });

const pastTime = { path: 'expires_time', rule: 'past', message: 'is in the past' };
const changed = { path: '', rule: 'changed-meanwhile', message: 'Another user has changed it' };

it.each<[what: string, error: ApiError, english: string, chinese: string]>([
  [
    'a vague code',
    refused('not-found', 'There is no channel 7'),
    'There is no channel 7',
    '它已经不存在了。 There is no channel 7',
  ],
  [
    'a limit that does not end by itself',
    refused('too-many-requests', 'You have 20 open orders'),
    'You have 20 open orders',
    '请求太频繁，请稍后再试。 You have 20 open orders',
  ],
  [
    'a limit that ends',
    refused('too-many-requests', 'Retry in 30 seconds.', { retryAfterSeconds: 30 }),
    'Retry in 30 seconds.',
    '请求太频繁，请在 30 秒后重试。',
  ],
  [
    'a limit that ends in minutes',
    refused('too-many-requests', 'Retry in 10 minutes.', { retryAfterSeconds: 597 }),
    'Retry in 10 minutes.',
    '请求太频繁，请在 10 分钟后重试。',
  ],
  [
    'refused fields',
    refused('invalid-input', 'refused', { fields: [pastTime] }),
    'These fields are invalid: expires_time: This time is in the past',
    '这些字段无效：expires_time: 该时间已过',
  ],
  [
    'a translated reason',
    refused('conflict', 'changed', { fields: [changed] }),
    'Another user has just changed this. Check it again',
    '与当前状态冲突。 刚被他人修改，请重新检查',
  ],
  [
    'a taken name',
    refused('already-exists', 'A rule named x exists', { fields: [{ ...changed, rule: 'already-exists' }] }),
    'A rule named x exists',
    '已被占用，请换一个。 A rule named x exists',
  ],
  [
    'a provider’s error',
    refused('upstream-failed', 'no balance'),
    'The provider returned an error. no balance',
    '供应商返回了错误。 no balance',
  ],
  ['a clear code', refused('wrong-password', 'wrong'), 'The password is wrong.', '密码错误。'],
])('explains %s in the user’s language', async (_what, error, english, chinese) => {
  expect(textOf(error)).toBe(english);
  await switchLanguage('zh_CN');
  expect(textOf(error)).toBe(chinese);
});
