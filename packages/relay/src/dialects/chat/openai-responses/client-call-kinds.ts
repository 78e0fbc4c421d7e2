/**
 * Calls that the client runs: as items of this dialect, each in its own form, and as function calls, which every
 * dialect supports. Source of the forms: `Response*ToolCall` in https://github.com/openai/openai-openapi.
 */
import { type JsonObject, listOf, numberOf, objectOf, textOf, textsIn } from '../../../json/json.ts';
import { pickDefinedFields, pickUncoveredFields } from '../../../translate/pick-fields.ts';
import { parseToolInput, stringifyArguments, toToolInput } from '../../../translate/tool-input.ts';
import { decodeCustomInput, encodeCustomInput } from '../openai-fields-and-tools.ts';
import type { ItemPosition, OutputEvent } from './response-object-and-items.ts';

const callKindNames = ['function', 'custom', 'local_shell', 'shell', 'apply_patch', 'tool_search', 'computer'] as const;

export type CallKindName = (typeof callKindNames)[number];

type Fields = Record<string, unknown>;

export interface CallKind {
  itemType: string;
  idPrefix: string;
  /** Returns the function's arguments as JSON text for a call item. */
  encodeArguments(item: JsonObject): string;
  /** Returns the item's own fields for the function's arguments, which may be incomplete. */
  decodeFields(text: string, declared: JsonObject): Fields;
  /** Returns the events between the start and the end of the item; absent: none. */
  listEvents?(text: string, place: ItemPosition): OutputEvent[];
}

const functionCall: CallKind = {
  itemType: 'function_call',
  idPrefix: 'fc',
  encodeArguments: (item) => stringifyArguments(item['arguments']),
  decodeFields: (text) => ({ arguments: text }),
};

const customCall: CallKind = {
  itemType: 'custom_tool_call',
  idPrefix: 'ctc',
  encodeArguments: (item) => encodeCustomInput(item['input']),
  decodeFields: (text) => ({ input: decodeCustomInput(text) }),
  listEvents: (text, place) => {
    const input = decodeCustomInput(text);
    return [
      { type: 'response.custom_tool_call_input.delta', ...place, delta: input },
      { type: 'response.custom_tool_call_input.done', ...place, input },
    ];
  },
};

const localShellCall: CallKind = {
  itemType: 'local_shell_call',
  idPrefix: 'lsh',
  encodeArguments: (item) => encodeActionArguments(item['action']),
  decodeFields: (text) => {
    const action = readAction(text, 'action', 'command');
    const line = textOf(action['command']);
    const env = Object.entries(objectOf(action['env'])).filter(([, value]) => typeof value === 'string');
    const optional = {
      timeout_ms: numberOf(action['timeout_ms']),
      working_directory: textOf(action['working_directory']),
      user: textOf(action['user']),
    };
    const command = line === undefined ? textsIn(action['command']) : ['bash', '-lc', line];
    return { action: { type: 'exec', command, env: Object.fromEntries(env), ...pickDefinedFields(optional) } };
  },
};

const shellCall: CallKind = {
  itemType: 'shell_call',
  idPrefix: 'sh',
  encodeArguments: (item) => encodeActionArguments(item['action']),
  decodeFields: (text, declared) => {
    const action = readAction(text, 'action', 'commands');
    return {
      action: {
        commands: shellCommands(text),
        timeout_ms: numberOf(action['timeout_ms']) ?? null,
        max_output_length: numberOf(action['max_output_length']) ?? null,
      },
      environment: declared['environment'] == null ? null : { type: 'local' },
    };
  },
  listEvents: (text, { output_index }) =>
    shellCommands(text).flatMap((command, command_index) => {
      const place = { output_index, command_index };
      return [
        { type: 'response.shell_call_command.added', ...place, command: '' },
        { type: 'response.shell_call_command.delta', ...place, delta: command },
        { type: 'response.shell_call_command.done', ...place, command },
      ];
    }),
};

function shellCommands(text: string): string[] {
  const { commands } = readAction(text, 'action', 'commands');
  return typeof commands === 'string' ? [commands] : textsIn(commands);
}

const applyPatchCall: CallKind = {
  itemType: 'apply_patch_call',
  idPrefix: 'apc',
  encodeArguments: (item) => JSON.stringify(objectOf(item['operation'])),
  decodeFields: (text) => {
    const operation = readAction(text, 'operation', 'diff');
    const type = textOf(operation['type']) ?? 'update_file';
    const diff = type === 'delete_file' ? {} : { diff: textOf(operation['diff']) ?? '' };
    return { operation: { type, path: textOf(operation['path']) ?? '', ...diff } };
  },
};

const toolSearchCall: CallKind = {
  itemType: 'tool_search_call',
  idPrefix: 'tsc',
  encodeArguments: (item) => stringifyArguments(item['arguments']),
  decodeFields: (text) => ({ execution: 'client', arguments: parseToolInput(text) ?? toToolInput(text) }),
};

const computerCall: CallKind = {
  itemType: 'computer_call',
  idPrefix: 'cu',
  encodeArguments: ({ actions, action }) => JSON.stringify({ actions: actions ?? [objectOf(action)] }),
  decodeFields: (text) => {
    const input = objectOf(parseToolInput(text));
    const actions = listOf(input['actions'] ?? (input['action'] === undefined ? [] : [input['action']]));
    // Clients of the older tool read `action`.
    return { pending_safety_checks: [], actions, ...(actions.length === 1 && { action: actions[0] }) };
  },
};

export const callKinds: Readonly<Record<CallKindName, CallKind>> = {
  function: functionCall,
  custom: customCall,
  local_shell: localShellCall,
  shell: shellCall,
  apply_patch: applyPatchCall,
  tool_search: toolSearchCall,
  computer: computerCall,
};

const byItemType = new Map<unknown, CallKindName>(callKindNames.map((name) => [callKinds[name].itemType, name]));

/** Returns the kind of a call item; undefined for items that are not a call of a client's tool. */
export function getCallKind(item: JsonObject): CallKindName | undefined {
  return byItemType.get(item['type']);
}

/** The shell's only action type runs commands. */
const actionType: ReadonlySet<string> = new Set(['type']);

function encodeActionArguments(action: unknown): string {
  return JSON.stringify(pickUncoveredFields(actionType, objectOf(action)));
}

/**
 * Reads an action, which the model may have nested in an object under the item's field, or written as plain text.
 * @param main field for plain text
 */
function readAction(text: string, field: string, main: string): JsonObject {
  const input = parseToolInput(text);
  if (input === undefined) return text.trim() === '' ? {} : { [main]: text };
  const inner = objectOf(input)[field];
  return inner === undefined ? objectOf(input) : objectOf(inner);
}
