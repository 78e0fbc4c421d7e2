import { describe, expect, it } from 'vitest';
import { WritableMeter } from './model/usage-meter.ts';
import {
  countedUsage,
  encodeError,
  encodeStreamError,
  planBalanceRequest,
  planModelLists,
  readBalance,
  readModelLists,
} from './relay.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

describe('errors for the client', () => {
  const error = { status: 429, message: 'Slow down.', code: 'rpm', param: 'model' };

  it('have the form of the dialect', () => {
    expect(JSON.parse(encodeError('openai-chat', error))).toEqual({
      error: { message: 'Slow down.', type: 'rate_limit_exceeded', param: 'model', code: 'rpm' },
    });
    expect(JSON.parse(encodeError('anthropic-messages', error))).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down.' },
    });
  });

  it.each([
    [400, 'invalid_request_error'],
    [418, 'invalid_request_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('write %i as %s for Anthropic, even if another dialect’s type is given', (status, type) => {
    const body = JSON.parse(encodeError('anthropic-messages', { status, message: 'm', type: 'server_error' }));
    expect(body.error.type).toBe(type);
  });

  it('end a stream without marking it as complete', () => {
    expect(encodeStreamError({ format: 'openai-chat' }, error)).toMatch(/^data: \{"error":.*\}\n\n$/);
    expect(encodeStreamError({ format: 'anthropic-messages' }, error)).toMatch(
      /^event: error\ndata: \{"type":"error".*\}\n\n$/,
    );
  });
});

describe('a channel’s account', () => {
  it('lists unique models in order', () => {
    const target = sampleTarget('openai', { baseUrl: 'https://api.openai.com/v1' });
    expect(planModelLists(target)[0]).toEqual({
      url: 'https://api.openai.com/v1/models',
      headers: { accept: 'application/json', authorization: 'Bearer sample-secret-key' },
    });
    expect(readModelLists(target, [{ data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }, {}, null] }])).toEqual(['a', 'b']);
    expect(readModelLists(target, ['nonsense'])).toEqual([]);
    const data = Array.from({ length: 30_000 }, (_, nth) => ({ id: `model-${nth}` }));
    expect(readModelLists(target, [{ data }])).toHaveLength(20_000);
  });

  it.each([
    ['https://api.groq.com/openai/v1', 'https://api.groq.com/openai/v1/models'],
    ['https://api.groq.com/openai', 'https://api.groq.com/openai/v1/models'],
    ['https://api.groq.com/openai/v1/models', 'https://api.groq.com/openai/v1/models'],
    ['http://openai', 'http://openai/openai/v1/models'],
    ['http://host/not-openai', 'http://host/not-openai/openai/v1/models'],
  ])('at %s is requested at %s, however much of the path the base URL contains', (baseUrl, url) => {
    const target = sampleTarget('openai', { baseUrl });
    const listModels = { path: () => '/openai/v1/models', read: () => [] };
    const [asked] = planModelLists({ ...target, provider: { ...target.provider, listModels } });
    expect(asked?.url).toBe(url);
  });

  it('lists the models of an Anthropic or Azure account in the vendor’s own form', () => {
    expect(planModelLists(sampleTarget('anthropic'))[0]?.headers).toMatchObject({
      'x-api-key': 'sample-secret-key',
      'anthropic-version': '2023-06-01',
    });
    const deployments = {
      data: [
        { id: 'x', status: 'succeeded' },
        { id: 'y', status: 'failed' },
      ],
    };
    expect(readModelLists(sampleTarget('azure'), [deployments])).toEqual(['x']);
  });

  it('lists the text models of a Google account by their bare names', () => {
    const target = sampleTarget('gemini');
    expect(planModelLists(target)[0]).toMatchObject({
      url: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
      headers: { 'x-goog-api-key': 'sample-secret-key' },
    });
    const models = [
      { name: 'models/gemini-2.5-flash', supportedGenerationMethods: ['generateContent', 'countTokens'] },
      { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
      { name: 'tunedModels/mine', supportedGenerationMethods: ['generateContent'] },
      null,
    ];
    expect(readModelLists(target, [{ models }])).toEqual(['gemini-2.5-flash', 'tunedModels/mine']);
  });

  it('reports no balance in another currency', () => {
    const yuan = { balance_infos: [{ currency: 'CNY', total_balance: '110.00' }] };
    expect(readBalance(sampleTarget('deepseek'), yuan)).toBeUndefined();
    const balance = { data: { available_balance: 49.5 } };
    expect(readBalance(sampleTarget('moonshot'), balance)).toBeUndefined();
    const abroad = { baseUrl: 'https://api.moonshot.ai' };
    expect(readBalance(sampleTarget('moonshot', abroad), balance)).toBe(49_500_000);
  });

  it('reports its balance if the vendor does', () => {
    expect(planBalanceRequest(sampleTarget('openai'))).toBeUndefined();
    const { provider } = sampleTarget('custom');
    const balance = { path: () => '/v1/balance', read: (body: unknown) => Number(body) };
    const target = sampleTarget('custom', { provider: { ...provider, readBalance: balance } });
    expect(planBalanceRequest(target)?.url).toBe('https://upstream.test/v1/balance');
    expect(readBalance(target, 5)).toBe(5);
  });
});

describe('countedUsage', () => {
  const request = sampleRequest('openai-chat', { messages: [{ role: 'user', content: 'word '.repeat(400) }] });

  it('bills no output when nothing was delivered', () => {
    expect(countedUsage(request, new WritableMeter())).toMatchObject({
      input: request.facts.inputTokensEstimate,
      output: 0,
    });
  });

  it('counts wide scripts more precisely than Latin ones', () => {
    const meter = Object.assign(new WritableMeter(), { deliveredCharacters: 400 + 150, deliveredWideCharacters: 150 });
    expect(countedUsage(request, meter).output).toBe(200);
  });

  it('keeps usage that was reported before the stream was interrupted', () => {
    const reported = { ...countedUsage(request, new WritableMeter()), input: 7, cachedRead: 3, output: 1 };
    const meter = Object.assign(new WritableMeter(), { usage: reported, deliveredCharacters: 40 });
    expect(countedUsage(request, meter)).toMatchObject({ input: 7, cachedRead: 3, output: 10 });
    const others = [{ model: '', usage: { ...reported, output: 6 } }];
    const severalRuns = Object.assign(new WritableMeter(), { usage: { ...reported, others }, deliveredCharacters: 40 });
    expect(countedUsage(request, severalRuns)).toMatchObject({ input: 7, output: 4, others });
  });
});
