/** Requests of each kind of test, and the evaluation of their responses. */

import { randomInt } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { TestFinding, TestProbe } from '@switchyard/contract/channels/channel-tests';
import {
  type ClientRequest,
  isDifferentModel,
  type ModelTest,
  parseSseEvents,
  planModelTest,
  readRequest,
  UpstreamError,
} from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { FindModelMetadata, KnownModel } from '../../catalog/models/models.ts';
import {
  type LoadedChannel,
  type ProbeResponse,
  resolveUpstreamModel,
  type VendorCallError,
} from '../registry/registry.ts';
import { createFreeProbe, type FreeProbe, isFree, type PaidKind } from './free-probes.ts';

/** Undefined for a passed test; otherwise the failure, or the reason why the test does not apply. */
export type Diagnostic = ProbeFinding | undefined;
interface ProbeFinding {
  outcome: 'failed' | 'not-applicable';
  finding: TestFinding;
}

/** Request that is charged by the vendor. */
export interface Probe {
  request: ClientRequest;
  evaluate(asked: ProbeResponse): Diagnostic;
  /** Evaluates a failure that may be the expected result; absent if any failure fails the test. */
  evaluateFailure?(failure: VendorCallError): Diagnostic | 'failed';
}

/** @param factsOf finds the metadata of models */
type CreateProbe = (model: string, channel: LoadedChannel, factsOf: FindModelMetadata) => Probe | ProbeFinding;

const passed = (): Diagnostic => undefined;
const createFailedFinding = (code: TestFinding['code'], { wanted = '', said = '' } = {}): ProbeFinding => ({
  outcome: 'failed',
  finding: { code, wanted, said },
});
const notApplicable = (code: TestFinding['code']): ProbeFinding => ({
  outcome: 'not-applicable',
  finding: { code, wanted: '', said: '' },
});
/** Leaves room for a reasoning model. */
const MAX_OUTPUT_TOKENS = 1_024;

/** @param byHand true if an administrator requested it and saw its cost; only then images are generated */
export function createProbe(
  kind: TestProbe,
  model: string,
  channel: LoadedChannel,
  factsOf: FindModelMetadata,
  byHand: boolean,
): Probe | FreeProbe | ProbeFinding {
  if (isFree(kind)) return createFreeProbe(kind, model, channel) ?? notApplicable('no-such-endpoint');
  const { operation, request, isCheap } = createModelTest(model, channel, factsOf);
  if (request === undefined || !(isCheap || byHand)) return notApplicable('no-cheap-test');
  if (kind === 'short') return { request, evaluate: passed, evaluateFailure: evaluateOtherEndpoint };
  if (operation !== 'chat') return notApplicable('no-chat-model');
  return paidProbes[kind](model, channel, factsOf);
}

function createModelTest(model: string, channel: LoadedChannel, factsOf: FindModelMetadata): ModelTest {
  const atVendor = resolveUpstreamModel(channel, model);
  const modalities = factsOf(atVendor) ?? factsOf(model);
  return planModelTest(model, { atVendor, modalities, provider: channel.target.provider });
}

/** Evaluates a failure: a model of another kind than assumed says nothing about the channel. */
function evaluateOtherEndpoint({ problem }: VendorCallError): Diagnostic | 'failed' {
  return problem === 'other-endpoint' ? notApplicable('other-endpoint') : 'failed';
}

function createChatRequest(model: string, content: unknown, more: Record<string, unknown> = {}): ClientRequest {
  const body = { model, messages: [{ role: 'user', content }], max_tokens: MAX_OUTPUT_TOKENS, ...more };
  const route = { operation: 'chat', format: 'openai-chat' } as const;
  return readRequest(route, Buffer.from(JSON.stringify(body)), {});
}

const streamingOptions = { stream: true, stream_options: { include_usage: true }, max_tokens: 64 };
const COUNTING_PROMPT = 'Count from one to twelve in words, nothing else.';

const paidProbes: Readonly<Record<Exclude<PaidKind, 'short'>, CreateProbe>> = {
  stream: (model) => ({ request: createChatRequest(model, COUNTING_PROMPT, streamingOptions), evaluate: passed }),

  pieces: (model, { lacks }) => {
    if (lacks.has('streaming')) return notApplicable('no-streaming');
    return {
      request: createChatRequest(model, COUNTING_PROMPT, { ...streamingOptions, max_tokens: MAX_OUTPUT_TOKENS }),
      evaluate({ body, meter }) {
        const contents = parseSseEvents(body).filter(({ data }) => extractText(parseJson(data), 'delta') !== '');
        if (contents.length < 2) return createFailedFinding('one-piece');
        return meter.usage === undefined ? createFailedFinding('no-usage') : undefined;
      },
    };
  },

  answer(model) {
    const [one, other] = [randomInt(100, 1_000), randomInt(100, 1_000)];
    return {
      request: createChatRequest(model, `What is ${one} plus ${other}? Answer with the number only.`),
      evaluate: ({ body }) => expectText(body, new RegExp(`(?<!\\d)${one + other}(?!\\d)`), `${one + other}`),
    };
  },

  refusal(model, channel) {
    const nobodys = `${model}-that-nobody-has`;
    if (resolveUpstreamModel(channel, nobodys) !== nobodys) return notApplicable('maps-every-name');
    return {
      request: createChatRequest(nobodys, 'Hi', { max_tokens: 16 }),
      evaluate: () => createFailedFinding('answers-for-nobody'),
      evaluateFailure: ({ problem, cause }) =>
        cause instanceof UpstreamError && refusalProblems.has(problem) ? undefined : 'failed',
    };
  },

  image(model, { lacks }, factsOf) {
    const facts = factsOf(model)?.input;
    if (lacks.has('images') || facts?.includes('image') === false) return notApplicable('no-pictures');
    const [name, colour] = colours[randomInt(colours.length)] ?? colours[0];
    const url = `data:image/png;base64,${createSolidPng(colour).toString('base64')}`;
    return {
      request: createChatRequest(model, [
        { type: 'text', text: 'Which colour is this picture? Answer with one English word.' },
        { type: 'image_url', image_url: { url } },
      ]),
      evaluate: ({ body }) => expectText(body, new RegExp(`\\b${name}\\b`, 'i'), name),
      evaluateFailure: ({ problem }) =>
        facts === undefined && problem === 'bad-request' ? notApplicable('refuses-pictures') : 'failed',
    };
  },

  json(model, { lacks }, factsOf) {
    if (lacks.has('structured-output') || lacksCapability(factsOf(model), 'json-schema'))
      return notApplicable('no-schema');
    const number = randomInt(10, 100);
    const schema = {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['red', 'green'] }, count: { type: 'integer' } },
      required: ['colour', 'count'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', json_schema: { name: 'apples', strict: true, schema } };
    return {
      request: createChatRequest(model, `I have ${number} red apples. Which colour, and how many?`, {
        response_format: format,
      }),
      evaluate({ body }) {
        const parsed = parseJson(extractAnswerText(body));
        if (!isObject(parsed)) return createFailedFinding('no-json');
        const fits = parsed['colour'] === 'red' && parsed['count'] === number && Object.keys(parsed).length === 2;
        return fits ? undefined : createFailedFinding('not-the-schema');
      },
    };
  },

  tool(model, { lacks }, factsOf) {
    if (lacks.has('tools') || lacksCapability(factsOf(model), 'tools')) return notApplicable('no-tools');
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const description = 'Tells the weather of a city';
    const tools = [{ type: 'function', function: { name: 'look_up_weather', description, parameters } }];
    return {
      request: createChatRequest(model, 'Look up the weather in Lisbon with the tool.', { tools }),
      evaluate({ body }) {
        const call = extractToolCall(body);
        if (call?.name !== 'look_up_weather') return createFailedFinding('no-tool-call');
        const parsed = parseJson(call.arguments);
        const city = isObject(parsed) ? parsed['city'] : undefined;
        return typeof city === 'string' && /lisbo/i.test(city) ? undefined : createFailedFinding('wrong-tool-call');
      },
    };
  },

  identity: (model, channel) => ({
    request: createChatRequest(model, 'Hi', { max_tokens: 16 }),
    evaluate({ meter: { servedModel } }) {
      if (servedModel === undefined) return notApplicable('names-no-model');
      const atVendor = resolveUpstreamModel(channel, model);
      const isOther = [model, atVendor].every((name) => isDifferentModel(name, servedModel));
      return isOther ? createFailedFinding('other-model', { said: servedModel }) : undefined;
    },
  }),
};

const refusalProblems = new Set<VendorCallError['problem']>([
  'model-missing',
  'bad-request',
  'no-permission',
  'wrong-address',
]);

const colours = [
  ['red', [220, 20, 20]],
  ['green', [20, 160, 40]],
  ['blue', [30, 60, 220]],
  ['yellow', [250, 220, 20]],
] as const;

function lacksCapability(facts: KnownModel | undefined, capability: 'tools' | 'json-schema'): boolean {
  return facts?.capabilities?.includes(capability) === false;
}

function expectText(body: Buffer, wanted: RegExp, name: string): Diagnostic {
  const text = extractAnswerText(body);
  return wanted.test(text) ? undefined : createFailedFinding('other-text', { wanted: name, said: text });
}

function extractAnswerText(body: Buffer): string {
  return extractText(parseJson(body.toString('utf8')), 'message');
}

/** Returns the text of the first choice of a response or an event. */
function extractText(json: unknown, member: 'message' | 'delta'): string {
  const content = extractChoice(json, member)?.['content'];
  return typeof content === 'string' ? content : '';
}

function extractToolCall(body: Buffer): { name: unknown; arguments: string } | undefined {
  const calls = extractChoice(parseJson(body.toString('utf8')), 'message')?.['tool_calls'];
  const called: unknown = Array.isArray(calls) && isObject(calls[0]) ? calls[0]['function'] : undefined;
  if (!isObject(called)) return undefined;
  const text = called['arguments'];
  return { name: called['name'], arguments: typeof text === 'string' ? text : '' };
}

function extractChoice(json: unknown, member: 'message' | 'delta'): Record<string, unknown> | undefined {
  const choices = isObject(json) ? json['choices'] : undefined;
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  const text = isObject(choice) ? choice[member] : undefined;
  return isObject(text) ? text : undefined;
}

/** Small image of a single colour. */

const SIDE = 64;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param colour red, green, blue. @returns a PNG */
function createSolidPng(colour: readonly [number, number, number]): Buffer {
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: SIDE }, () => Buffer.from(colour))]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  // 8 bits for each of three channels; no palette, no interlacing.
  head.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)));
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, sum]);
}
