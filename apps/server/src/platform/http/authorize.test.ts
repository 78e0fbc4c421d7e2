import type { Right } from '@switchyard/contract/accounts/permissions';
import type { UserId } from '@switchyard/contract/ids';
import { describe, expect, test } from 'vitest';
import { type AccessRequirements, authorize } from './authorize.ts';
import { type Caller, hasAccess } from './caller.ts';

const session: Caller = {
  userId: 1 as UserId,
  username: 'a',
  role: 'admin',
  rights: new Set<Right>(['user', 'records.read']),
  readOnly: false,
  groupSymbol: 'default',
  sessionIdHash: 'hash',
  accessTokenId: undefined,
  steppedUp: false,
  lacksSecondFactor: false,
  secondFactorNeededFrom: undefined,
  impersonator: undefined,
};
const token: Caller = { ...session, sessionIdHash: undefined, accessTokenId: 1 };
const late: Caller = { ...session, lacksSecondFactor: true };
const acted: Caller = {
  ...session,
  impersonator: { userId: 2 as UserId, username: 'root', sessionIdHash: 'other', until: 0 },
};

const reads: AccessRequirements = { method: 'GET', access: 'user' };
const spends: AccessRequirements = { method: 'POST', access: 'user' };
const readsRecords: AccessRequirements = { method: 'GET', access: 'records.read' };
const writingGet: AccessRequirements = { method: 'GET', access: 'user', sameOrigin: true };
const open: AccessRequirements = { method: 'GET', access: 'anyone' };

const codeOf = (demand: AccessRequirements, caller: Caller | undefined): unknown => {
  const headers = { 'sec-fetch-site': 'same-origin' };
  try {
    authorize(demand, caller, { headers, secure: true, publicUrl: undefined });
    return 'allowed';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

describe('a caller is', () => {
  test.each<[string, AccessRequirements, Caller | undefined, string]>([
    ['let in where anyone may read', open, undefined, 'allowed'],
    ['refused without a session', reads, undefined, 'not-signed-in'],
    ['let in with a session', spends, session, 'allowed'],
    ['refused without the right', { ...reads, access: 'root' }, session, 'not-allowed'],
    ['refused with a token without the use of the account', spends, narrow(token), 'not-allowed'],
    ['let read with a token that only reads', reads, { ...token, readOnly: true }, 'allowed'],
    ['refused to spend with it', spends, { ...token, readOnly: true }, 'not-allowed'],
    ['refused a GET that writes with it', writingGet, { ...token, readOnly: true }, 'not-allowed'],
    ['let use the own account without the second factor', spends, late, 'allowed'],
    ['refused more without it', readsRecords, late, 'second-factor-needed'],
    ['let look as another user', reads, acted, 'allowed'],
    ['refused to spend as another user', spends, acted, 'impersonated'],
    ['refused a GET that writes as another user', writingGet, acted, 'impersonated'],
    ['asked to confirm', { ...spends, stepUp: true }, session, 'step-up-required'],
    ['refused with a token that cannot confirm', { ...spends, stepUp: true }, token, 'not-allowed'],
  ])('%s', (_what, demand, caller, outcome) => {
    expect(codeOf(demand, caller)).toBe(outcome);
  });
});

test.each<[string, AccessRequirements, Caller | undefined]>([
  ['You are not signed in. Sign in, or send an access token', reads, undefined],
  ['requires the permission prices.read, which you do not', { ...reads, access: 'prices.read' }, session],
  ['requires the permission user, which this access token does not', reads, narrow(token)],
  ['Confirm your identity with POST /api/user/step_up', { ...reads, stepUp: true }, session],
  ['Only the root account', { ...reads, access: 'root' }, session],
  ['This access token is read-only. Use one with write access.', spends, { ...token, readOnly: true }],
])('a refusal says: %s', (reason, demand, caller) => {
  const call = () => authorize(demand, caller, { headers: {}, secure: true, publicUrl: undefined });
  expect(call).toThrow(reason);
});

test('a right beyond the own account cannot be used without the second factor that is due', () => {
  expect([hasAccess(late, 'user'), hasAccess(late, 'records.read')]).toEqual([true, false]);
  expect([hasAccess(session, 'records.read'), hasAccess(session, 'anyone')]).toEqual([true, true]);
});

function narrow(caller: Caller): Caller {
  return { ...caller, rights: new Set<Right>(['records.read']) };
}
