import { expect, test } from 'vitest';
import { signWebhookHeaders } from './webhook-headers.ts';

// https://github.com/standard-webhooks/standard-webhooks: the vector of its libraries' tests.
test('the signature is the one of the reference vector', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const headers = signWebhookHeaders(key, id, 1_614_265_330, '{"test": 2432232314}');
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
