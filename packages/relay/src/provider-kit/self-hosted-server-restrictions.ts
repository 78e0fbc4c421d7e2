/**
 * Servers that operators run themselves, such as vLLM: one process for all users, often in the operator's network. They
 * trust all of their callers, so that a client may not use all of their fields.
 */
import { isObject, type JsonObject, listOf, textOf } from '../json/json.ts';
import type { OperatorData, Provider, ProviderField, Quirk, Target } from '../model/provider.ts';
import { type CompatibleVendor, createOpenaiCompatible } from './openai-compatible.ts';
import { dropFields } from './shared-vendor-quirks.ts';

/**
 * Fields that clients may send: those of the dialects, and options of sampling, of the output's grammar and of reasoning.
 * The servers have many others, some of which end the requests of other users (`rid` of SGLang), precede them
 * (`priority` of vLLM), exceed the cap of the output (`n_predict` of llama.cpp), load the weights of another model
 * (`lora_path` of SGLang), or contact other hosts (`kv_transfer_params` of vLLM).
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html,
 * https://docs.sglang.io/docs/basic_usage/openai_api,
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
const clientFields: ReadonlySet<string> = new Set(
  [
    'model messages input instructions system prompt suffix stream stream_options metadata user safety_identifier store',
    'previous_response_id',
    'max_tokens max_completion_tokens max_output_tokens n best_of stop stop_sequences logprobs top_logprobs echo',
    'temperature top_p top_k seed presence_penalty frequency_penalty logit_bias prompt_cache_key include truncation',
    'tools tool_choice parallel_tool_calls max_tool_calls functions function_call cache_control service_tier',
    'response_format text verbosity modalities audio prediction output_config output_format',
    'reasoning reasoning_effort reasoning_format include_reasoning separate_reasoning stream_reasoning thinking think',
    'enable_thinking thinking_budget chat_template_kwargs add_generation_prompt continue_final_message',
    // Sampling.
    'min_p top_n_sigma typical_p min_tokens stop_token_ids ignore_eos bad_words allowed_token_ids min_keep samplers',
    'repetition_penalty repeat_penalty repeat_last_n length_penalty dynatemp_range dynatemp_exponent xtc_probability',
    'xtc_threshold mirostat mirostat_tau mirostat_eta dry_multiplier dry_base dry_allowed_length dry_penalty_last_n',
    'dry_sequence_breakers skip_special_tokens spaces_between_special_tokens include_stop_str_in_output',
    // Grammar of the output.
    'structured_outputs guided_json guided_regex guided_choice guided_grammar json_schema regex ebnf grammar',
    // Embeddings, reranking, images, speech and transcription.
    'encoding_format dimensions input_type truncate normalize query documents top_n return_documents',
    'image mask size quality style background steps step negative_prompt cfg_scale guidance_scale strength',
    'voice speed language file timestamp_granularities chunking_strategy hotwords vad_filter',
  ].flatMap((names) => names.split(' ')),
);

/** Removes all other fields, and tools that make the server call other hosts. Also the body of token counts. */
export function keepClientFields(body: JsonObject, _of: unknown, dropped: string[]): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [field, value] of Object.entries(body)) {
    if (clientFields.has(field)) kept.push([field, value]);
    else if (value !== null) dropped.push(field);
  }
  const isSame = kept.length === Object.keys(body).length;
  return dropRemoteTools(isSame ? body : Object.fromEntries(kept), dropped, isAnyTool);
}

/**
 * Fields by which clients control a server, the cap of its output or the choice of the model, for addresses at which any
 * vendor may be, whose own fields are passed on.
 */
const controlFields = [
  'rid request_id priority session_params id_slot slot_id data_parallel_rank bootstrap_host bootstrap_port',
  'bootstrap_room kv_transfer_params custom_logit_processor custom_params chat_template input_embeds prompt_embeds',
  'lora lora_path lora_request adapter_id adapter_source vllm_xargs keep_alive options draft_model ttl backend',
  'n_predict num_predict max_new_tokens max_length max_gen_len max_tokens_to_sample prompt_id prompt_variables tags',
  'vector_store_ids num_retries mock_response guardrails',
].flatMap((names) => names.split(' '));

/** Quirk of channels with any server; see `controlFields`. */
export const dropControlFields: Quirk = (body, target, dropped, format) =>
  dropRemoteTools(
    dropFields(...controlFields)(body, target, dropped, format),
    dropped,
    passesAnyUrl(target) ? isOperatorTool : isAnyTool,
  );

/**
 * Removes MCP servers, which are called from the operator's network: tools, also those that a Responses client adds
 * within its input, and Anthropic's `mcp_servers`.
 */
function dropRemoteTools(body: JsonObject, dropped: string[], isRefused: (server: JsonObject) => boolean): JsonObject {
  const kept = removeItems(body, 'tools', (tool) => tool['type'] === 'mcp' && isRefused(tool));
  if (kept !== body) dropped.push('tools.mcp');
  const fitted = removeItems(kept, 'mcp_servers', isRefused);
  if (fitted !== kept) dropped.push('mcp_servers');
  const input = listOf(body['input']);
  const items = input.map((item) => (isObject(item) ? dropRemoteTools(item, dropped, isRefused) : item));
  return items.some((item, at) => item !== input[at]) ? { ...fitted, input: items } : fitted;
}

/** Returns the same body if it has no such item. */
function removeItems(body: JsonObject, field: string, isRemoved: (item: JsonObject) => boolean): JsonObject {
  const items = listOf(body[field]);
  const kept = items.filter((item) => !(isObject(item) && isRemoved(item)));
  return kept.length === items.length ? body : { ...body, [field]: kept };
}

/** A server in the operator's network calls none. */
const isAnyTool = (): boolean => true;

/** Returns whether an MCP server is not named by its URL: LiteLLM then uses one that its operator has configured. */
const isOperatorTool = ({ server_url: url, url: ofAnthropic }: JsonObject): boolean =>
  !/^https?:/i.test(textOf(url ?? ofAnthropic) ?? '');

/** Members whose content a server reads as text. Other members may contain the address of a file. */
const textMembers: ReadonlySet<string> = new Set([
  'annotations',
  'args',
  'arguments',
  'citations',
  'function_call',
  'functionCall',
  'metadata',
  'response',
  'text',
  'tool_calls',
]);
/** Members with parts; their strings are text. */
const partMembers: ReadonlySet<string> = new Set(['content', 'input', 'output', 'documents', 'query']);
/** Types of parts without files; those of searches name the pages that were found. */
const textPart =
  /^(?:(?:input_|output_|summary_|reasoning_)?text|refusal|reasoning|(?:redacted_)?thinking|(?:server_)?tool_use|\w+_call|(?:web_\w+|search)_result)$/;
const fileMembers = ['messages', 'input', 'contents', 'systemInstruction', 'documents', 'query', 'image', 'mask'];
/** Members with the address of a file: everything but a data URL is an address, such as a path. */
const addressMember = /(?:url|uri|path|image|video|audio|file|mask)s?$/i;
const inlineFile = /^\s*data:/i;
const anyAddress = /^\s*[a-z][a-z\d+.-]*:\//i;

const passesUrls = ({ options }: Target): boolean => options['fileUrls'] === 'pass';

const PROBLEM =
  'contains the address of a file, which the server of this model does not open. Send the file itself as a data: URL.';

/**
 * Finds the first address of a file, which the server would open: any that it can reach, in the operator's network or on
 * its own disk.
 */
function findFileAddress(body: JsonObject): OperatorData | undefined {
  for (const name of fileMembers) {
    const field = findAddress(body[name], name, name);
    if (field !== undefined) return { field, problem: PROBLEM };
  }
  return undefined;
}

function findAddress(value: unknown, name: string, path: string): string | undefined {
  if (typeof value === 'string') return isAddress(value, name) ? path : undefined;
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = findAddress(item, name, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value) || textPart.test(textOf(value['type']) ?? '')) return undefined;
  for (const [member, inner] of Object.entries(value)) {
    const found = textMembers.has(member) ? undefined : findAddress(inner, member, `${path}.${member}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isAddress(value: string, name: string): boolean {
  if (value === '' || partMembers.has(name) || inlineFile.test(value)) return false;
  return addressMember.test(name) || anyAddress.test(value);
}

/** Option for URLs of files: the server may be set up to fetch them from some hosts only. */
const fileUrlsOption: ProviderField = { name: 'fileUrls', required: false, choices: ['refuse', 'pass'] };
/** The same for addresses at which any vendor may be: vendors at a public name fetch files in their own network. */
export const anyServerUrlsOption: ProviderField = {
  name: 'fileUrls',
  required: false,
  choices: ['by-address', 'refuse', 'pass'],
};

/** Hosts outside the operator's network have a name with a public suffix. */
const publicName = /\.(?!local$|localhost$|internal$|intranet$|lan$|home$|corp$|private$|arpa$)[a-z][a-z\d-]+$/i;

/** Returns whether a server at which any vendor may be gets the URLs of files and MCP servers. */
function passesAnyUrl(target: Target): boolean {
  return passesUrls(target) || (target.options['fileUrls'] !== 'refuse' && hasPublicName(target.baseUrl));
}

/** Cache: every request asks, and the addresses are few. */
const publicNames = new Map<string, boolean>();
const PUBLIC_NAMES_MAX = 1_000;

function hasPublicName(baseUrl: string): boolean {
  const known = publicNames.get(baseUrl);
  if (known !== undefined) return known;
  if (publicNames.size >= PUBLIC_NAMES_MAX) publicNames.clear();
  const isPublic = publicName.test(URL.parse(baseUrl)?.hostname ?? '');
  publicNames.set(baseUrl, isPublic);
  return isPublic;
}

export const findAddressForAnyServer: NonNullable<Provider['findOperatorData']> = (body, target) =>
  passesAnyUrl(target) ? undefined : findFileAddress(body);

/** Creates the provider of a server that needs no key. */
export function createSelfHostedServer(server: CompatibleVendor): Provider {
  return createOpenaiCompatible({
    credentials: [{ name: 'key', required: false }],
    options: [fileUrlsOption],
    imageOptions: null,
    quirks: [keepClientFields],
    findOperatorData: (body, target) => (passesUrls(target) ? undefined : findFileAddress(body)),
    ...server,
  });
}
