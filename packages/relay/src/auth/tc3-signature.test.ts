import { expect, test } from 'vitest';
import { signTc3Request } from './tc3-signature.ts';

test('signs Tencent’s published example with the published result', () => {
  const body = String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`;
  const call = { method: 'POST', url: 'https://cvm.tencentcloudapi.com/', body: Buffer.from(body) } as const;
  const account = {
    secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
    secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
    service: 'cvm',
  };
  expect(signTc3Request(call, account, 'application/json; charset=utf-8', 1_551_113_065_999)).toEqual({
    'x-tc-timestamp': '1551113065',
    authorization:
      'TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168',
  });
});
