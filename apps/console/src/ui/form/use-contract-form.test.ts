import { apiKeyStatus } from '@switchyard/contract/wire-enums';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contractResolver } from './use-contract-form.ts';

const schema = z.object({
  name: z.string().trim().min(1).max(5),
  status: apiKeyStatus,
  limits: z.array(z.union([z.ipv4(), z.cidrv4()])),
});
const resolve = (values: z.output<typeof schema>) =>
  contractResolver(schema, (issue) => issue.code)(values, undefined, { fields: {}, shouldUseNativeValidation: false });

describe('contractResolver', () => {
  it('accepts the decoded words of a form instead of the wire’s integers', async () => {
    const values = { name: 'abc', status: 'disabled' as const, limits: ['10.0.0.1', '10.0.0.0/8'] };
    expect(await resolve(values)).toEqual({ values, errors: {} });
  });

  it('reports each issue at its field, also inside lists', async () => {
    const { errors } = await resolve({ name: '', status: 'enabled', limits: ['10.0.0.1', 'nonsense'] });
    expect(errors.name).toMatchObject({ type: 'too_small' });
    expect(errors.limits?.[1]).toMatchObject({ type: 'invalid_union' });
    expect(errors.limits?.[0]).toBeUndefined();
  });
});
