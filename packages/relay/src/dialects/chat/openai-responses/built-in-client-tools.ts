/**
 * Client-side tools that the vendor's models know by their type, described as functions for other models. Source of
 * the fields: the items of the calls in https://github.com/openai/openai-openapi.
 */

import { type JsonObject, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import type { Tool } from '../../../model/conversation.ts';
import type { CallKindName } from './client-call-kinds.ts';

type Schema = Record<string, unknown>;
export type BuiltInKind = Exclude<CallKindName, 'function' | 'custom'>;

const text = (description: string): Schema => ({ type: 'string', description });
const texts = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description });
const integer = (description: string): Schema => ({ type: 'integer', description });

function closedObject(properties: Schema, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const timeout = integer('Time limit in milliseconds.');

const localShell = closedObject(
  {
    command: texts('The program and its arguments.'),
    working_directory: text('The directory to run the command in.'),
    timeout_ms: timeout,
    env: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Environment variables for the command.',
    },
    user: text('The user to run the command as.'),
  },
  ['command'],
);

const shell = closedObject(
  {
    commands: texts('Shell commands, which run in this order.'),
    timeout_ms: timeout,
    max_output_length: integer('How many characters of the output to keep.'),
  },
  ['commands'],
);

const applyPatch = closedObject(
  {
    type: {
      type: 'string',
      enum: ['create_file', 'update_file', 'delete_file'],
      description: 'What to do with the file.',
    },
    path: text('The path of the file, relative to the root of the workspace.'),
    diff: text(
      'The changes: each line begins with "+" if it is added, with "-" if it is removed and with a space if it stays; ' +
        'a line of "@@" begins each hunk. All lines of a new file begin with "+". Not needed to delete a file.',
    ),
  },
  ['type', 'path'],
);

/** Schema of the tool search for clients that describe no parameters. */
const toolSearch = closedObject({ query: text('What the tool should be able to do.') }, ['query']);

const coordinate = (axis: string): Schema => integer(`The ${axis} coordinate on the screen, in pixels.`);
const computerAction = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      enum: ['click', 'double_click', 'drag', 'keypress', 'move', 'screenshot', 'scroll', 'type', 'wait'],
    },
    x: coordinate('x'),
    y: coordinate('y'),
    button: { type: 'string', enum: ['left', 'right', 'wheel', 'back', 'forward'] },
    keys: texts('Keys to press, or to hold meanwhile.'),
    text: text('The text to type.'),
    scroll_x: integer('How far to scroll to the right, in pixels.'),
    scroll_y: integer('How far to scroll down, in pixels.'),
    path: {
      type: 'array',
      items: closedObject({ x: coordinate('x'), y: coordinate('y') }, ['x', 'y']),
      description: 'The points of a drag.',
    },
  },
  required: ['type'],
};

function computer(declared: JsonObject): Schema {
  const actions = { type: 'array', items: computerAction, minItems: 1 };
  const isPreview = declared['type'] === 'computer_use_preview';
  return closedObject({ actions: isPreview ? { ...actions, maxItems: 1 } : actions }, ['actions']);
}

const builders: Readonly<Record<BuiltInKind, (declared: JsonObject) => Omit<Tool, 'name'>>> = {
  local_shell: () => ({
    description: 'Runs a command on the local machine and returns its output.',
    parameters: localShell,
  }),
  shell: (declared) => ({
    description: `Runs shell commands and returns their output.${describeSkills(objectOf(declared['environment']))}`,
    parameters: shell,
  }),
  apply_patch: () => ({ description: 'Creates, updates or deletes one file.', parameters: applyPatch }),
  tool_search: (declared) => ({
    description: textOf(declared['description']) ?? 'Searches for tools that can be called afterwards.',
    parameters: declared['parameters'] ?? toolSearch,
  }),
  computer: (declared) => ({
    description: `Controls the computer with mouse and keyboard and returns a screenshot.${describeScreen(declared)}`,
    parameters: computer(declared),
  }),
};

export function createBuiltInTool(kind: BuiltInKind, name: string, declared: JsonObject): Tool {
  return { name, ...builders[kind](declared) };
}

function describeSkills(environment: JsonObject): string {
  const skills = objectsIn(environment['skills']);
  const lines = skills.map(({ name, description, path }) => {
    const where = textOf(path) ?? '';
    return `\n- ${textOf(name) ?? where}: ${textOf(description) ?? ''} (${where})`;
  });
  return lines.length === 0 ? '' : `\nSkills that can be read there:${lines.join('')}`;
}

function describeScreen({ display_width: width, display_height: height, environment }: JsonObject): string {
  const name = textOf(environment);
  const system = name === undefined ? '' : ` It runs ${name}.`;
  const hasSize = typeof width === 'number' && typeof height === 'number';
  return hasSize ? `${system} The screen is ${width} by ${height} pixels.` : system;
}
