/**
 * Codes, types and status words by which vendors name errors, for responses of every status, including errors inside
 * a response of status 200.
 */
import type { UpstreamErrorKind } from './upstream-error.ts';

type WordsByKind = ReadonlyMap<UpstreamErrorKind, readonly string[]>;

/** Words that take precedence over the HTTP status. */
const preciseWords: WordsByKind = new Map([
  [
    'rejected',
    [
      // https://platform.openai.com/docs/api-reference/responses/object#responses-object-error
      'invalid_prompt',
      'invalid_image',
      'invalid_image_format',
      'invalid_base64_image',
      'invalid_image_url',
      'image_too_large',
      'image_too_small',
      'image_parse_error',
      'image_content_policy_violation',
      'invalid_image_mode',
      'image_file_too_large',
      'unsupported_image_media_type',
      'empty_image_file',
      'failed_to_download_image',
      'image_file_not_found',
      // https://platform.openai.com/docs/guides/error-codes, https://github.com/openai/openai-openapi
      'context_length_exceeded',
      'context_window_exceeded',
      'string_above_max_length',
      'string_below_min_length',
      'array_above_max_length',
      'array_below_min_length',
      'integer_above_max_value',
      'integer_below_min_value',
      'decimal_above_max_value',
      'decimal_below_min_value',
      'invalid_type',
      'invalid_value',
      'invalid_json',
      'invalid_function_parameters',
      'invalid_json_schema',
      'invalid_encrypted_content',
      'missing_required_parameter',
      'unknown_parameter',
      'unsupported_parameter',
      'unsupported_value',
      'unsupported_file',
      'unsupported_file_mimetype',
      'invalid_file_data',
      'invalid_file_url',
      'file_too_large',
      'previous_response_not_found',
      'content_filter',
      'content_policy_violation',
      'moderation_blocked',
      'image_generation_user_error',
      'cyber_policy',
      'bio_policy',
      'misalignment_policy_violation',
      // Azure: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
      'ResponsibleAIPolicyViolation',
      'contentFilter',
      // Groq: https://console.groq.com/docs/tool-use, https://console.groq.com/docs/structured-outputs
      'tool_use_failed',
      'json_validate_failed',
      'output_parse_failed',
      // Anthropic: https://docs.anthropic.com/en/api/errors
      'request_too_large',
      // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
      'validationException',
      'content_filtered',
      // Content filter refusals of Alibaba, Tencent, Volcengine, Moonshot and others.
      'DataInspectionFailed',
      'SensitiveContentDetected',
      'InputTextSensitiveContentDetected',
      'OutputTextSensitiveContentDetected',
      'InputImageSensitiveContentDetected',
      'OutputImageSensitiveContentDetected',
    ],
  ],
  [
    'out-of-credit',
    [
      // https://platform.openai.com/docs/guides/error-codes
      'insufficient_quota',
      'billing_hard_limit_reached',
      'billing_not_active',
      // https://docs.anthropic.com/en/api/errors
      'billing_error',
      // https://platform.moonshot.ai/docs/api/errors
      'exceeded_current_quota_error',
      // https://console.groq.com/docs/spend-limits
      'blocked_api_access',
      // New API and One API, as gateways in front of a vendor.
      'insufficient_user_quota',
      'pre_consume_token_quota_failed',
      // Perplexity, DeepInfra and others.
      'insufficient_balance',
      'insufficient_credits',
      'payment_required',
      // https://cloud.google.com/apis/docs/error-reasons
      'BILLING_DISABLED',
    ],
  ],
  [
    'unauthorised',
    [
      // https://platform.openai.com/docs/guides/error-codes
      'invalid_api_key',
      'account_deactivated',
      'invalid_organization',
      'organization_deactivated',
      'unsupported_country_region_territory',
      // https://docs.anthropic.com/en/api/errors
      'authentication_error',
      'permission_error',
      // https://platform.moonshot.ai/docs/api/errors
      'invalid_authentication_error',
      'incorrect_api_key_error',
      'permission_denied_error',
      // https://console.groq.com/docs/errors
      'organization_restricted',
      'expired_api_key',
      // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
      'accessDeniedException',
      'unrecognizedClientException',
      'expiredTokenException',
      // https://cloud.google.com/apis/docs/error-reasons
      'API_KEY_INVALID',
      'API_KEY_SERVICE_BLOCKED',
      'API_KEY_HTTP_REFERRER_BLOCKED',
      'API_KEY_IP_ADDRESS_BLOCKED',
      'ACCESS_TOKEN_EXPIRED',
      'CREDENTIALS_MISSING',
      'CONSUMER_SUSPENDED',
      'CONSUMER_INVALID',
      'SERVICE_DISABLED',
      'ACCOUNT_STATE_INVALID',
    ],
  ],
  [
    'rate-limited',
    [
      'rate_limit_exceeded',
      'rate_limit_error',
      'rate_limited',
      'too_many_requests',
      // https://platform.moonshot.ai/docs/api/errors
      'rate_limit_reached_error',
      // Azure
      'RateLimitReached',
      // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
      'throttlingException',
      // https://help.aliyun.com/zh/model-studio/error-code
      'Throttling',
      'Throttling.RateQuota',
      'Throttling.BurstRate',
      'Throttling.AllocationQuota',
    ],
  ],
  [
    'overloaded',
    [
      // https://docs.anthropic.com/en/api/errors
      'overloaded_error',
    ],
  ],
  [
    'garbled',
    [
      // Azure has no such deployment at this channel; another channel may.
      'DeploymentNotFound',
    ],
  ],
]);

/** Words that repeat the HTTP status, and matter only if the status is inconclusive. */
const broadWords: WordsByKind = new Map([
  [
    'rejected',
    [
      // OpenAI also uses `invalid_request_error` for 401, 403, 404 and 429; DeepSeek for 402.
      'invalid_request_error',
      'invalid_request',
      'invalid_argument',
      'invalid_arguments',
      'invalid_parameter',
      'invalid_parameter_error',
      'invalid_parameter_value',
      'invalid_params',
      'invalid_input',
      'bad_request',
      'bad_request_error',
      'validation_error',
      'unprocessable_entity',
      'unprocessable_entity_error',
      'unsupported_media_type',
      'payload_too_large',
      'request_entity_too_large',
      'Client specified an invalid argument',
      // Cohere and FastAPI.
      'value_error',
      'request_validation_error',
      // The status of OpenAI's `model_not_found` shows whether the model or the account is at fault (404, 403 or
      // 503).
      'not_found_error',
      'not_found',
      'model_not_found',
      'unknown_model',
      'invalid_model',
      // Google: https://cloud.google.com/apis/design/errors#handling_errors
      'FAILED_PRECONDITION',
      'OUT_OF_RANGE',
      'ALREADY_EXISTS',
      'UNIMPLEMENTED',
    ],
  ],
  ['unauthorised', ['UNAUTHENTICATED', 'unauthorized', 'PERMISSION_DENIED', 'forbidden', 'request_forbidden']],
  ['rate-limited', ['RESOURCE_EXHAUSTED', 'rate_limit', 'tokens', 'requests']],
  [
    'overloaded',
    [
      // https://platform.openai.com/docs/api-reference/responses/object#responses-object-error
      'server_error',
      'vector_store_timeout',
      'server_is_overloaded',
      'slow_down',
      'api_error',
      'timeout_error',
      'internal_server_error',
      'internal_error',
      'service_unavailable',
      'service_unavailable_error',
      'engine_overloaded_error',
      'model_overloaded',
      // https://cloud.google.com/apis/design/errors#handling_errors
      'UNAVAILABLE',
      'INTERNAL',
      'UNKNOWN',
      'DEADLINE_EXCEEDED',
      'ABORTED',
      'CANCELLED',
      'DATA_LOSS',
      // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
      'internalServerException',
      'modelStreamErrorException',
      'serviceUnavailableException',
    ],
  ],
]);

/** Maximum length of a word; longer texts are sentences. */
const WORD_LENGTH_MAX = 64;

const precise = kindByWord(preciseWords);
const broad = kindByWord(broadWords);

function kindByWord(table: WordsByKind): ReadonlyMap<string, UpstreamErrorKind> {
  return new Map([...table].flatMap(([kind, words]) => words.map((word) => [normalizeWord(word), kind] as const)));
}

/** Normalizes the spellings `invalid_argument`, `invalid-argument`, `InvalidArgument` and `INVALID_ARGUMENT`. */
export function normalizeWord(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Returns the failure class of the first word that takes precedence over the status. */
export function classifyPreciseWord(words: readonly string[]): UpstreamErrorKind | undefined {
  return findFirstKnown(words, precise);
}

/** Returns the failure class of the first word that repeats a status. */
export function classifyBroadWord(words: readonly string[]): UpstreamErrorKind | undefined {
  return findFirstKnown(words, broad);
}

function findFirstKnown(
  words: readonly string[],
  known: ReadonlyMap<string, UpstreamErrorKind>,
): UpstreamErrorKind | undefined {
  for (const word of words) {
    const kind = word.length > WORD_LENGTH_MAX ? undefined : known.get(normalizeWord(word));
    if (kind !== undefined) return kind;
  }
  return undefined;
}
