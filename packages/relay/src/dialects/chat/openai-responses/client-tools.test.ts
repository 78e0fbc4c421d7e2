/** Tools that a client of Responses runs itself, in front of vendors that know nothing but functions. */

import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import { type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { startCpuTimer } from '../../../testing/cpu-timer.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { member, parts, type Vendor, vendors } from '../../../testing/simulated-vendors.ts';
import { parseSseEvents } from '../../../wire/sse.ts';
import { ClientTools } from './client-tools.ts';

const vendorNames = ['chat', 'messages', 'gemini', 'converse', 'responses'] as const;
const { chat, messages } = vendors;

interface Kind {
  tool: JsonObject;
  /** How the model calls it as a function. */
  called: { name: string; args: string };
  /** The same call, as the client gets it and sends it back. */
  call: JsonObject;
  output: JsonObject;
  choice?: JsonObject;
}

const add = {
  type: 'function',
  name: 'add_issue',
  description: 'Adds one.',
  strict: false,
  parameters: { type: 'object', properties: { title: { type: 'string' } } },
};
const issueCall = { name: 'add_issue', arguments: '{"title":"Broken"}' };
const dated = { type: 'custom', name: 'note', description: 'Takes a note.' };

const kinds: Record<string, Kind> = {
  'a function': {
    tool: add,
    called: { name: 'add_issue', args: '{"title":"Broken"}' },
    call: { type: 'function_call', ...issueCall },
    output: { type: 'function_call_output', output: 'Added.' },
    choice: { type: 'function', name: 'add_issue' },
  },
  'a function in a namespace': {
    tool: { type: 'namespace', name: 'mcp__tracker', description: 'Issues of all teams.', tools: [add] },
    called: { name: 'mcp__tracker__add_issue', args: '{"title":"Broken"}' },
    call: { type: 'function_call', ...issueCall, namespace: 'mcp__tracker' },
    output: { type: 'function_call_output', output: 'Added.' },
    choice: { type: 'function', name: 'add_issue', namespace: 'mcp__tracker' },
  },
  'a function in the vendor’s default namespace': {
    tool: { type: 'namespace', name: 'functions', description: '', tools: [add] },
    called: { name: 'add_issue', args: '{"title":"Broken"}' },
    call: { type: 'function_call', ...issueCall },
    output: { type: 'function_call_output', output: 'Added.' },
    choice: { type: 'function', name: 'add_issue', namespace: 'functions' },
  },
  'a custom tool': {
    tool: dated,
    called: { name: 'note', args: '{"input":"a\\n\\"b\\""}' },
    call: { type: 'custom_tool_call', name: 'note', input: 'a\n"b"' },
    output: { type: 'custom_tool_call_output', output: 'Kept.' },
    choice: { type: 'custom', name: 'note' },
  },
  'a custom tool in a namespace': {
    tool: { type: 'namespace', name: 'diary', description: '', tools: [dated] },
    called: { name: 'diary__note', args: '{"input":"Monday"}' },
    call: { type: 'custom_tool_call', name: 'note', namespace: 'diary', input: 'Monday' },
    output: { type: 'custom_tool_call_output', output: 'Kept.' },
    choice: { type: 'custom', name: 'note', namespace: 'diary' },
  },
  'the local shell': {
    tool: { type: 'local_shell' },
    called: {
      name: 'local_shell',
      args: '{"command":["ls","-a"],"env":{"LANG":"C"},"timeout_ms":500,"working_directory":"/srv"}',
    },
    call: {
      type: 'local_shell_call',
      action: { type: 'exec', command: ['ls', '-a'], env: { LANG: 'C' }, timeout_ms: 500, working_directory: '/srv' },
    },
    output: { type: 'local_shell_call_output', output: '{"output":"a.txt"}' },
    choice: { type: 'local_shell' },
  },
  'the shell': {
    tool: { type: 'shell', environment: { type: 'local' } },
    called: { name: 'shell', args: '{"commands":["pwd","date -u"],"timeout_ms":900}' },
    call: {
      type: 'shell_call',
      action: { commands: ['pwd', 'date -u'], timeout_ms: 900, max_output_length: null },
      environment: { type: 'local' },
    },
    output: {
      type: 'shell_call_output',
      output: [{ stdout: '/srv', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    choice: { type: 'shell' },
  },
  'the patch tool': {
    tool: { type: 'apply_patch' },
    called: { name: 'apply_patch', args: '{"type":"create_file","path":"a.md","diff":"+One\\n+Two"}' },
    call: { type: 'apply_patch_call', operation: { type: 'create_file', path: 'a.md', diff: '+One\n+Two' } },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'a.md is there already.' },
    choice: { type: 'apply_patch' },
  },
  'a search of tools that the client runs': {
    tool: {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds tools.',
      parameters: { type: 'object', properties: { goal: { type: 'string' } } },
    },
    called: { name: 'tool_search', args: '{"goal":"ship an order"}' },
    call: { type: 'tool_search_call', execution: 'client', arguments: { goal: 'ship an order' } },
    output: { type: 'tool_search_output', execution: 'client', status: 'completed', tools: [] },
    choice: { type: 'tool_search' },
  },
  'the computer': {
    tool: { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'linux' },
    called: { name: 'computer', args: '{"actions":[{"type":"click","x":5,"y":9,"button":"left"}]}' },
    call: { type: 'computer_call', pending_safety_checks: [], action: { type: 'click', x: 5, y: 9, button: 'left' } },
    output: {
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    },
    choice: { type: 'computer_use_preview' },
  },
};

const cases = Object.keys(kinds).flatMap((kind) =>
  vendorNames
    // A server of Responses gets plain functions as they are.
    .filter((vendor) => kind !== 'a function' || vendor !== 'responses')
    .map((vendor) => ({ kind, vendor })),
);

function sent(vendor: Vendor, fields: JsonObject): JsonObject {
  const plan = planExchange(sampleRequest('openai-responses', fields), vendor.target);
  return objectOf(JSON.parse(plan.body.toString()));
}

const history = ({ call, output }: Kind): JsonObject[] => [
  { type: 'message', role: 'user', content: 'Begin.' },
  { id: 'item_7', call_id: 'call_7', status: 'completed', ...call },
  { call_id: 'call_7', ...output },
];

/** Returns the client's items of a response: those of the whole one, or the completed ones of a stream. */
function itemsFrom(vendor: Vendor, kind: Kind, stream: boolean): { items: JsonObject[]; types: unknown[] } {
  const fields = { stream, tools: [kind.tool], input: 'hi' };
  const reader = planExchange(sampleRequest('openai-responses', fields), vendor.target).readResponse();
  const { name, args } = kind.called;
  const body = stream
    ? [...vendor.streamed(name, args).map((event) => JSON.stringify(event)), '[DONE]']
        .map((data) => `data: ${data}\n\n`)
        .join('')
    : JSON.stringify(vendor.whole(name, args));
  const bytes = Buffer.concat([reader.push(Buffer.from(body)), reader.end()]);
  if (!stream) {
    const response = objectOf(JSON.parse(bytes.toString()));
    return { items: listOf(response['output']).map(objectOf), types: [] };
  }
  const events = parseSseEvents(bytes).map(({ data }) => objectOf(JSON.parse(data)));
  const items = events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [objectOf(item)] : []));
  expect(listOf(member(events.at(-1), 'response', 'output'))).toEqual(items);
  return { items, types: events.map((event) => event['type']) };
}

describe('a client tool', () => {
  it.each(cases)('is declared as a function: $kind, to $vendor', ({ kind, vendor }) => {
    const { tool, called } = kinds[kind] ?? expect.fail();
    expect(vendors[vendor].declared(sent(vendors[vendor], { tools: [tool] }))).toEqual([called.name]);
  });

  it.each(cases)('is called in the history by its function name: $kind, at $vendor', ({ kind, vendor }) => {
    const known = kinds[kind] ?? expect.fail();
    const body = sent(vendors[vendor], { tools: [known.tool], input: history(known) });
    expect(vendors[vendor].called(body)).toEqual([known.called.name]);
    expect(vendors[vendor].declared(body)).toEqual([known.called.name]);
    expect(JSON.stringify(body)).not.toMatch(/"none"/i);
  });

  it.each(cases)('can be forced: $kind, at $vendor', ({ kind, vendor }) => {
    const { tool, called, choice } = kinds[kind] ?? expect.fail();
    const body = sent(vendors[vendor], { tools: [tool, { type: 'local_shell' }], tool_choice: choice });
    expect(vendors[vendor].forced(body)).toBe(called.name);
  });

  it.each(cases)('can be the only allowed tool: $kind, at $vendor', ({ kind, vendor }) => {
    const { tool, called, choice } = kinds[kind] ?? expect.fail();
    const other = { type: 'function', name: 'other', parameters: { type: 'object' } };
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [choice] };
    const body = sent(vendors[vendor], { tools: [other, tool], tool_choice });
    expect(vendors[vendor].declared(body)).toEqual([called.name]);
  });

  it('can be allowed by a namespace that is named thousands of times', () => {
    const members = Array.from({ length: 5_000 }, (_, nth) => ({ type: 'function', name: `f${nth}` }));
    const tools = [{ type: 'namespace', name: 'big', tools: members }];
    const entries = Array.from({ length: 5_000 }, () => ({ type: 'namespace', name: 'big' }));
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: entries };
    const readCpuMs = startCpuTimer();
    const body = sent(messages, { tools, tool_choice });
    const cpuMs = readCpuMs();
    expect(messages.declared(body)).toHaveLength(5_000);
    expect(cpuMs).toBeLessThan(1_000);
  });

  const spaces = (count: number, name: string, ...tools: object[]): object[] =>
    Array.from({ length: count }, (_, nth) => ({ type: 'namespace', name: `${name}${nth}`, tools }));
  const short = (count: number): object[] =>
    Array.from({ length: count }, (_, nth) => ({ type: 'function', name: `f${nth}` }));

  it.each([
    ['built-in tools', spaces(250, 'n', { type: 'apply_patch' })],
    ['computers', spaces(100, 'n', { type: 'computer_use_preview' })],
    ['namespaces with long names', spaces(1, 'n'.repeat(255), ...short(1_000))],
  ])('is refused if it becomes many times as long as a function: %s', (_, tools) => {
    const send = (): unknown => sent(messages, { tools });
    expect(send).toThrow(InvalidRequestError);
    expect(send).toThrow("The tools become too long in the format of this model's provider.");
  });

  it.each([
    ['all built-in tools', Object.values(kinds).map(({ tool }) => tool)],
    ['many namespaces', spaces(50, 'mcp__service_', ...short(40))],
    ['a long grammar', [{ type: 'custom', name: 'c', format: { type: 'grammar', definition: 'x'.repeat(500_000) } }]],
  ])('is accepted if its declaration is about as long as the function: %s', (_, tools) => {
    expect(() => sent(messages, { tools })).not.toThrow();
  });

  it.each([
    ['namespace', [{ type: 'namespace', name: 'n'.repeat(257), tools: [{ type: 'function', name: 'f' }] }]],
    ['tool', [{ type: 'custom', name: 'n'.repeat(257) }]],
    ['tool of a namespace', [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'n'.repeat(257) }] }]],
  ])('has a name of at most 256 characters: %s', (_, tools) => {
    expect(() => sent(messages, { tools })).toThrow('tools.name has 257 characters. Send at most 256.');
  });

  it.each(cases)('is called in the client’s form: $kind, by $vendor', ({ kind, vendor }) => {
    const known = kinds[kind] ?? expect.fail();
    for (const stream of [false, true]) {
      const { items, types } = itemsFrom(vendors[vendor], known, stream);
      const call_id = vendor === 'gemini' ? expect.any(String) : 'call_1';
      expect(items).toEqual([
        expect.objectContaining({ ...known.call, id: expect.any(String), call_id, status: 'completed' }),
      ]);
      if (stream)
        expect(types.filter((type) => String(type).includes('output_item'))).toEqual([
          'response.output_item.added',
          'response.output_item.done',
        ]);
    }
  });
});

describe('the arguments of a call in the history', () => {
  it.each(Object.entries(kinds))('are unchanged: %s', (_name, kind) => {
    const body = sent(chat, { tools: [kind.tool], input: history(kind) });
    const [call] = parts(body['messages'], 'tool_calls');
    const text = String(member(call, 'function', 'arguments'));
    expect(JSON.parse(text)).toEqual(JSON.parse(kind.called.args));
  });
});

describe('the result of a call', () => {
  const resultOf = (kind: Kind): unknown => {
    const body = sent(chat, { tools: [kind.tool], input: history(kind) });
    return listOf(body['messages'])
      .map(objectOf)
      .find(({ role }) => role === 'tool')?.['content'];
  };
  it.each([
    ['the local shell', '{"output":"a.txt"}'],
    ['the shell', '[{"stdout":"/srv","stderr":"","outcome":{"type":"exit","exit_code":0}}]'],
    ['the patch tool', expect.stringContaining('a.md is there already.')],
    ['a search of tools that the client runs', 'No tools found.'],
  ])('becomes text: %s', (name, expected) => {
    expect(resultOf(kinds[name] ?? expect.fail())).toEqual(expected);
  });

  it('keeps an image of the client’s screen', () => {
    const computer = kinds['the computer'] ?? expect.fail();
    const body = sent(messages, { tools: [computer.tool], input: history(computer) });
    expect(JSON.stringify(body)).toContain('"data":"iVBORw0KGgo="');
  });

  it('matches a result by the only id that an older local shell sends', () => {
    const body = sent(chat, {
      tools: [{ type: 'local_shell' }],
      input: [
        { type: 'local_shell_call', id: 'lsh_3', action: { type: 'exec', command: ['ls'], env: {} } },
        { type: 'local_shell_call_output', id: 'lsh_3', output: 'a.txt' },
      ],
    });
    expect(body['messages']).toMatchObject([
      { tool_calls: [{ id: 'lsh_3' }] },
      { role: 'tool', tool_call_id: 'lsh_3', content: 'a.txt' },
    ]);
  });
});

describe('tools that are added during a conversation', () => {
  const crm = { type: 'namespace', name: 'crm', description: 'Customers', tools: [{ ...add, name: 'find' }] };
  const added = { type: 'additional_tools', role: 'developer', tools: [crm, { type: 'web_search' }] };
  const found = [
    { type: 'tool_search_call', call_id: 's1', execution: 'client', arguments: { goal: 'customers' } },
    {
      type: 'tool_search_output',
      call_id: 's1',
      execution: 'client',
      tools: [{ ...crm, tools: [{ ...add, name: 'find', defer_loading: true }] }],
    },
  ];

  it.each(Object.entries(vendors))('are declared to %s with the others, once', (_name, vendor) => {
    const input = [added, { role: 'user', content: 'hi' }, added];
    const body = sent(vendor, { tools: [add], input });
    const names = vendor.declared(body).filter((name) => !String(name).startsWith('web_search'));
    expect(names).toEqual(['add_issue', 'crm__find']);
  });

  it('declares added tools if there are no others', () => {
    const request = sampleRequest('openai-responses', { input: [added, { role: 'user', content: 'hi' }] });
    expect(request.facts.hasTools).toBe(true);
    const body = sent(chat, { tools: [], input: [added, { role: 'user', content: 'hi' }] });
    expect(chat.declared(body)).toEqual(['crm__find']);
    expect(body['messages']).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it.each(Object.entries(vendors))('are reported to %s as search results', (_name, vendor) => {
    const search = kinds['a search of tools that the client runs']?.tool;
    const body = sent(vendor, { tools: [search], input: [{ role: 'user', content: 'hi' }, ...found] });
    expect(vendor.declared(body)).toEqual(['tool_search', 'crm__find']);
    expect(JSON.stringify(body)).toContain('Tools found: crm__find');
  });

  it('get the target’s names in search results', () => {
    const long = { ...crm, name: 'a'.repeat(70) };
    const body = sent(chat, { input: [found[0], { type: 'tool_search_output', call_id: 's1', tools: [long] }] });
    const [name] = chat.declared(body);
    expect(name).toMatch(/^a[a-zA-Z0-9_-]{63}$/);
    expect(JSON.stringify(body)).toContain(`Tools found: ${String(name)}`);
  });
});

describe('function names', () => {
  const names = (...tools: unknown[]): unknown[] =>
    new ClientTools({ tools }).all.map(({ functionName }) => functionName);
  const space = (name: string, ...tools: string[]): object => ({
    type: 'namespace',
    name,
    tools: tools.map((name) => ({ type: 'function', name })),
  });

  it.each([
    [['a__b'], [space('a', 'b')]],
    [['a__b'], [space('a__', 'b')]],
    [
      ['exec', 'b'],
      [space('functions', 'exec'), { type: 'custom', name: 'b' }],
    ],
    [
      ['a__b__c', 'a__b__c_2'],
      [space('a', 'b__c'), space('a__b', 'c')],
    ],
    [
      ['shell', 'shell_2'],
      [{ type: 'function', name: 'shell' }, { type: 'shell' }],
    ],
    [
      ['a__b', 'a__c'],
      [space('a', 'b'), space('a', 'b', 'c')],
    ],
    [[], [{ type: 'shell', environment: { type: 'container_auto' } }, { type: 'tool_search' }, { type: 'mcp' }]],
  ])('of namespaced tools are %j', (expected, tools) => {
    expect(names(...tools)).toEqual(expected);
  });

  it('do not change when tools are added after them', () => {
    const first = [space('a', 'b__c'), { type: 'function', name: 'a__b__c' }];
    expect(names(...first, space('a__b', 'c')).slice(0, 2)).toEqual(names(...first));
  });

  it.each([
    [{ kind: 'function', namespace: 'crm', name: 'find' }, 'crm__find'],
    [{ kind: 'custom', namespace: 'crm', name: 'find' }, 'crm__find'],
    [{ kind: 'function', name: 'find' }, 'crm__find'],
    [{ kind: 'function', namespace: 'functions', name: 'exec' }, 'exec'],
    [{ kind: 'function', name: 'exec' }, 'exec'],
    [{ kind: 'function', namespace: 'exec', name: 'exec' }, 'exec'],
    [{ kind: 'function', name: 'same' }, 'same'],
    [{ kind: 'function', namespace: 'gone', name: 'find' }, 'gone__find'],
  ] as const)('belong to the declared tools for a call of %j', (reference, expected) => {
    const own = new ClientTools({
      tools: [space('functions', 'exec'), space('crm', 'find', 'same'), space('erp', 'same')],
    });
    expect(own.getFunctionName(reference)).toBe(expected);
  });
});

describe('unsupported parts of a tool', () => {
  const droppedOf = (...tools: unknown[]): readonly string[] =>
    planExchange(sampleRequest('openai-responses', { tools }), chat.target).dropped;

  it.each([
    [[], [add, { type: 'local_shell' }, { type: 'shell' }, { type: 'apply_patch' }]],
    [[], [{ type: 'namespace', name: 'n', description: 'd', tools: [add] }]],
    [
      ['tools.function.defer_loading'],
      [
        { ...add, defer_loading: true },
        { ...add, name: 'b' },
      ],
    ],
    [[], [{ ...add, defer_loading: false }]],
    [['tools.function.output_schema'], [{ ...add, output_schema: { type: 'string' } }]],
    [['tools.tool_search'], [{ type: 'tool_search' }]],
    [['tools.shell'], [{ type: 'shell', environment: { type: 'container_auto' } }]],
    [['tools.mcp'], [{ type: 'mcp', server_label: 'a' }]],
  ])('are reported: %j', (expected, tools) => {
    expect(droppedOf(...tools)).toEqual(expected);
  });

  it('keep the description of a namespace', () => {
    const body = sent(chat, { tools: [kinds['a function in a namespace']?.tool] });
    expect(JSON.stringify(body)).toContain('Issues of all teams.');
  });
});
