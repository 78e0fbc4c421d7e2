import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExchange } from './exchange/plan-exchange.ts';
import type { JsonObject } from './json/json.ts';
import type { DialectId } from './model/dialect-id.ts';
import type { Target } from './model/provider.ts';
import { outputTokens, promptTokens } from './model/usage.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

interface Report {
  prompt: number;
  output: number;
}

/** A vendor whose complete stream reports usage in several events. */
interface Vendor {
  target: () => Target;
  events(reports: readonly Report[]): (object | string)[];
}

const clients = ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'] as const;
const END_MARK = '[DONE]';

const chatChunk = (report: Report, choice: JsonObject): object => ({
  id: 'c',
  choices: [{ index: 0, delta: {}, ...choice }],
  usage: chatUsage(report),
});
const chatUsage = ({ prompt, output }: Report): object => ({ prompt_tokens: prompt, completion_tokens: output });

function chatEvents([first, ...others]: readonly Report[]): (object | string)[] {
  const begun = first === undefined ? [] : [chatChunk(first, { delta: { content: 'Said' } })];
  const ended = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  return [...begun, ...others.map((report) => chatChunk(report, {})), ended, END_MARK];
}

const vendors: Readonly<Record<string, Vendor>> = {
  Chat: { target: () => sampleTarget('custom'), events: chatEvents },
  'Chat after the end': {
    target: () => sampleTarget('custom'),
    events: ([first, ...others]) => [
      ...chatEvents(first === undefined ? [] : [first]),
      ...others.map((report) => ({ id: 'c', choices: [], usage: chatUsage(report) })),
    ],
  },
  Messages: {
    target: () => sampleTarget('anthropic'),
    events: ([first, ...others]) => [
      {
        type: 'message_start',
        message: { id: 'm', model: 'sample-model', usage: { input_tokens: first?.prompt, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Said' } },
      { type: 'content_block_stop', index: 0 },
      ...[...others, { prompt: 0, output: first?.output ?? 0 }].map(({ prompt, output }) => ({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: prompt, output_tokens: output },
      })),
      { type: 'message_stop' },
    ],
  },
  Gemini: {
    target: () => sampleTarget('gemini'),
    events: (reports) =>
      reports.map(({ prompt, output }, nth) => ({
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ text: 'Said' }] },
            ...(nth === reports.length - 1 && { finishReason: 'STOP' }),
          },
        ],
        usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: output },
      })),
  },
};

const reports = fc.array(fc.record({ prompt: fc.nat(100_000), output: fc.nat(9_000) }), { minLength: 2, maxLength: 5 });

function metered(client: DialectId, target: Target, events: readonly (object | string)[]) {
  const reader = planExchange(sampleRequest(client, { stream: true }), target).readResponse();
  for (const event of events) {
    const name = typeof event === 'object' && 'type' in event ? `event: ${String(event.type)}\n` : '';
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    reader.push(Buffer.from(`${name}data: ${data}\n\n`));
  }
  reader.end();
  return reader.meter.usage;
}

describe.each(clients)('usage that a stream reports several times, for a client of %s', (client) => {
  it.each(Object.entries(vendors))('is the maximum that %s reported', (_name, vendor) => {
    fc.assert(
      fc.property(reports, (said) => {
        const usage = metered(client, vendor.target(), vendor.events(said));
        expect(usage && promptTokens(usage)).toBe(Math.max(...said.map(({ prompt }) => prompt)));
        expect(usage && outputTokens(usage)).toBe(Math.max(...said.map(({ output }) => output)));
      }),
      { numRuns: 30 },
    );
  });
});

/** Tokens that each choice reports, several times in a stream. */
const choiceReports = fc.array(reports, { minLength: 1, maxLength: 5 });

describe.each(clients)('usage that each choice reports, for a client of %s', (client) => {
  const max = (said: readonly Report[], of: keyof Report): number => Math.max(...said.map((report) => report[of]));
  const chunksOf = (choices: readonly Report[][]): object[] =>
    choices.flatMap((said, index) =>
      said.map((report, nth) => ({
        id: 'c',
        choices: [
          {
            index,
            delta: { content: 'Said' },
            ...(nth === said.length - 1 && { finish_reason: 'stop' }),
            usage: chatUsage(report),
          },
        ],
      })),
    );

  it('has the prompt once and the output of every choice', () => {
    fc.assert(
      fc.property(choiceReports, (choices) => {
        const usage = metered(client, sampleTarget('custom'), [...chunksOf(choices), END_MARK]);
        expect(usage && promptTokens(usage)).toBe(max(choices.flat(), 'prompt'));
        expect(usage && outputTokens(usage)).toBe(choices.reduce((sum, said) => sum + max(said, 'output'), 0));
      }),
      { numRuns: 30 },
    );
  });

  it('the total of the response counts where it is reported', () => {
    fc.assert(
      fc.property(choiceReports, fc.nat(1_000), (choices, more) => {
        const total = { prompt: 7, output: max(choices.flat(), 'output') + more };
        const last = { id: 'c', choices: [], usage: chatUsage(total) };
        const usage = metered(client, sampleTarget('custom'), [...chunksOf(choices), last, END_MARK]);
        expect(usage && [promptTokens(usage), outputTokens(usage)]).toEqual([total.prompt, total.output]);
      }),
      { numRuns: 30 },
    );
  });

  it('a response that is not a stream counts the same', () => {
    const said = [10, 20, 30].map((output, index) => ({
      index,
      message: { role: 'assistant', content: 'Said' },
      finish_reason: 'stop',
      usage: chatUsage({ prompt: 5, output }),
    }));
    const reader = planExchange(sampleRequest(client, { stream: false }), sampleTarget('custom')).readResponse();
    reader.push(Buffer.from(JSON.stringify({ id: 'c', object: 'chat.completion', choices: said })));
    reader.end();
    const { usage } = reader.meter;
    expect(usage && [promptTokens(usage), outputTokens(usage)]).toEqual([5, 60]);
  });
});
