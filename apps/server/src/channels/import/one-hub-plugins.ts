/** The plugins of One Hub's channels: https://github.com/MartialBE/one-hub, model/channel.go */
import { isCustomPath } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import { parseNestedJson } from './parse-nested-json.ts';

export interface PluginSettings {
  options: Record<string, string>;
  headers: Record<string, string>;
  /** Request changes, as in `requestChanges`. */
  bodies: object[];
  /** Settings without an equivalent here, such as `plugin.web_browser`. */
  leftOut: string[];
}

type Plugin = Readonly<Record<string, unknown>>;

interface PluginResult {
  options?: Record<string, string>;
  headers?: Record<string, string>;
  bodies?: object[];
  /** Fields of the plugin without an equivalent here. */
  leftOut?: string[];
}

type PluginReader = (plugin: Plugin) => PluginResult;

/** One Hub's numbers of operations, with the options for their paths here. */
const pathOptions: ReadonlyMap<string, string> = new Map([
  ['1', 'chatPath'],
  ['2', 'completionsPath'],
  ['3', 'embeddingsPath'],
  ['4', 'moderationPath'],
  ['5', 'imagesPath'],
  ['6', 'imageEditsPath'],
  ['7', 'imageVariationsPath'],
  ['9', 'speechPath'],
  ['10', 'transcriptionPath'],
  ['11', 'translationPath'],
  ['13', 'rerankPath'],
  ['14', 'realtimePath'],
  ['16', 'responsesPath'],
]);
const DISABLED_PATH = '-';
/** The form refuses longer ones. */
const OPTION_MAX = 512;

function readCustomize(plugin: Plugin): PluginResult {
  const options: Record<string, string> = {};
  const leftOut: string[] = [];
  for (const [mode, value] of Object.entries(plugin)) {
    const path = value === 'disable' ? DISABLED_PATH : textIn(value);
    if (path === undefined) continue;
    const option = pathOptions.get(mode);
    if (option === undefined || !isCustomPath(path)) leftOut.push(mode);
    else options[option] = path;
  }
  return { options, leftOut };
}

function readRetrieval(plugin: Plugin): PluginResult {
  const knowledge = textIn(plugin['knowledge_id']);
  const prompt = textIn(plugin['prompt_template']);
  if (knowledge === undefined) return {};
  if (prompt === undefined) return { options: { knowledge } };
  return prompt.length > OPTION_MAX
    ? { options: { knowledge }, leftOut: ['prompt_template'] }
    : { options: { knowledge, knowledgePrompt: prompt } };
}

function readCodeInterpreter({ sandbox }: Plugin): PluginResult {
  const isKnown = sandbox === 'auto' || sandbox === 'none';
  return isKnown ? { options: { codeInterpreter: sandbox } } : { leftOut: ['sandbox'] };
}

/** Returns a reader for a switch that sets an option. */
function readSwitch(option: string, value: string): PluginReader {
  return ({ enable }) => (enable === true || enable === 'true' ? { options: { [option]: value } } : {});
}

/** Reads OpenRouter's routing, by the vendor prefix of model names, or for all. */
function readRouting({ provider, ...others }: Plugin): PluginResult {
  const read = typeof provider === 'string' ? parseNestedJson(provider) : provider;
  const leftOut = Object.keys(others);
  if (!isObject(read)) return { leftOut: provider ? ['provider', ...leftOut] : leftOut };
  const vendors = Object.entries(read);
  const isByVendor = vendors.every(([, choice]) => isObject(choice)) && !('max_price' in read);
  const bodies = isByVendor
    ? vendors.map(([vendor, choice]) => ({ models: [`${vendor}/*`], defaults: { provider: choice } }))
    : [{ defaults: { provider: read } }];
  return { bodies, leftOut };
}

function readVoices(plugin: Plugin): PluginResult {
  const pairs = Object.entries(plugin).flatMap(([name, voice]) => {
    const own = textIn(voice);
    return own === undefined ? [] : [`${name}=${own}`];
  });
  const voices = pairs.join(', ');
  if (pairs.length === 0) return {};
  return voices.length > OPTION_MAX ? { leftOut: Object.keys(plugin) } : { options: { voices: voices } };
}

function readHeaders(plugin: Plugin): PluginResult {
  const texts = Object.entries(plugin).flatMap(([name, value]) => {
    const text = textIn(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  return { headers: Object.fromEntries(texts) };
}

/** Reader of a plugin that needs no setting here, because its feature is always supported. */
const ignorePlugin: PluginReader = () => ({});

/** Plugin readers by this gateway's channel type. */
const readers: ReadonlyMap<number, Readonly<Record<string, PluginReader>>> = new Map([
  [8, { customize: readCustomize }],
  [15, { use_openai_api: ignorePlugin }],
  [
    16,
    {
      retrieval: readRetrieval,
      web_search: readSwitch('webSearch', 'search_std'),
      code_interpreter: readCodeInterpreter,
    },
  ],
  [17, { use_openai_api: ignorePlugin, web_search: readSwitch('webSearch', 'on') }],
  [20, { other: readRouting }],
  [24, { voice: readVoices }],
  [25, { use_openai_api: ignorePlugin, code_execution: readSwitch('codeExecution', 'on') }],
  [27, { voice: readVoices }],
  [39, { headers: readHeaders }],
]);

/** @param plugins object or its text, as in the row */
export function readPlugins(type: number | undefined, plugins: unknown): PluginSettings {
  const all: PluginSettings = { options: {}, headers: {}, bodies: [], leftOut: [] };
  const object = typeof plugins === 'string' ? parseNestedJson(plugins) : plugins;
  if (!isObject(object)) return all;
  const known = readers.get(type ?? 0) ?? {};
  for (const [name, plugin] of Object.entries(object)) {
    if (isObject(plugin) ? !Object.values(plugin).some(isSet) : !isSet(plugin)) continue;
    const found = isObject(plugin) && Object.hasOwn(known, name) ? known[name]?.(plugin) : undefined;
    Object.assign(all.options, found?.options);
    Object.assign(all.headers, found?.headers);
    all.bodies.push(...(found?.bodies ?? []));
    if (found === undefined) all.leftOut.push(`plugin.${name}`);
    for (const field of found?.leftOut ?? []) all.leftOut.push(`plugin.${name}.${field}`);
  }
  return all;
}

const isSet = (value: unknown): boolean => value !== '' && value !== false && value !== null;

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
