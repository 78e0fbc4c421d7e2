import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { redactAccountData } from './redact-vendor-error.ts';

describe('redactAccountData', () => {
  it.each([
    ['an organization', 'Not verified: org-7hQz2LmPx', '7hQz'],
    ['a project', 'Project `proj_91kdLmw02` has no access', '91kd'],
    ['a project at Google', 'Permission denied on projects/my-secret-42/locations/x', 'my-secret'],
    ['a project’s number', 'Quota of project number 771234567890', '77123'],
    ['a UUID', 'Your team 0f8fad5b-d9cb-469f-a165-70867728950e is restricted', '0f8fad5b'],
    ['a key’s id', 'API key ID: 7c9e6679-7425-40de-944b-e07fc1f90ae7, Model: grok-4', '7c9e'],
    ['a user', 'user_2aBcD9xyz may not', '2aBc'],
    ['an address of a person', 'Ask billing-owner@corp.example.org for access', 'corp'],
    ['a role at AWS', 'arn:aws:iam::123456789012:role/secret is not allowed', '123456789012'],
    ['a subscription at Azure', '/subscriptions/9c1b/resourceGroups/ours', 'ours'],
    ['a page of the account', 'See https://console.example.com/team/8831230/billing for it', '8831230'],
    ['a page with a query', 'See https://platform.example.com/usage?account=mine', 'mine'],
  ])('redacts %s', (_what, message, secret) => {
    expect(redactAccountData(message)).not.toContain(secret);
  });

  it.each([
    'messages.3.content.0: unexpected `tool_use_id` toolu_01A9b2',
    'Unsupported value: 0.7 of temperature. See https://platform.openai.com/docs/guides/error-codes',
    'Invalid image https://images.example.com/8831230/cat.png?size=2',
    'The user message must come first; the organization must be verified to use gpt-5.2',
    'This model’s maximum context length is 131072 tokens',
    'The project needs a name',
    'Incorrect API key provided',
  ])('leaves "%s" unchanged', (message) => {
    expect(redactAccountData(message)).toBe(message);
  });

  it('reads an adversarial message without delay', () => {
    const readCpuMs = startCpuTimer();
    for (const piece of ['https://a', 'user_', 'project ', 'a.b@', 'org-']) redactAccountData(piece.repeat(2_000));
    expect(readCpuMs()).toBeLessThan(500);
  });
});
