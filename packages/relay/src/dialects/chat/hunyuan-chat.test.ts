import { describe, expect, test } from 'vitest';
import { hunyuanChat } from './hunyuan-chat.ts';

const read = (answer: Record<string, unknown>) => () => hunyuanChat.readNonStreaming(answer, new Set(), {});

describe('an error inside an answer of status 200', () => {
  test.each([
    ['AuthFailure.SecretIdNotFound', 'unauthorised'],
    ['AuthFailure.SignatureFailure', 'unauthorised'],
    ['RequestLimitExceeded', 'rate-limited'],
    ['LimitExceeded', 'rate-limited'],
    ['FailedOperation.ResourcePackExhausted', 'out-of-credit'],
    ['InternalError', 'overloaded'],
    ['InvalidParameterValue.Model', 'rejected'],
    ['AuthFailure.SignatureExpire', 'overloaded'],
  ])('classifies %s as %s, whole and in a stream, and hides its message', (code, kind) => {
    const error = { Code: code, Message: 'AKIDsecret0001 is wrong' };
    expect(read({ Response: { Error: error, RequestId: 'r' } })).toThrow(
      expect.objectContaining({ kind, message: `The upstream reported ${code}.` }),
    );
    const decoder = hunyuanChat.chat?.createStreamDecoder(new Set());
    expect(() => decoder?.push({ Response: { Error: error } })).toThrow(expect.objectContaining({ kind }));
  });
});

test('reads a moderated response as incomplete', () => {
  const decoder = hunyuanChat.chat?.createStreamDecoder(new Set());
  const choice = { Index: 0, Delta: { Role: 'assistant', Content: '' }, FinishReason: 'sensitive' };
  const events = decoder?.push({ Choices: [choice], Id: 'r' }) ?? [];
  expect([...events, ...(decoder?.end(true) ?? [])]).toContainEqual(
    expect.objectContaining({ reason: 'content-filter' }),
  );
});
