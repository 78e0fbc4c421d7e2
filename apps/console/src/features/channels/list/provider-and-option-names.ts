import type { ImportSource } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { Provider } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { useProviders } from '../queries.ts';

/** Names that are translated; all others are brands, which the server names. */
const translated = ['custom', 'anthropic-compatible', 'one-api'] as const;

/** Returns a function that gives a provider's name in the user's language. */
export function useProviderName(): (provider: Pick<Provider, 'id' | 'label'>) => string {
  const { t } = useTranslation('channels');
  return ({ id, label }) => {
    const word = translated.find((name) => name === id);
    return word === undefined ? label : t(`providerName.${word}`);
  };
}

/** Returns a function that gives a provider's name by its id. */
export function useProviderNameById(): (id: string) => string {
  const providers = useProviders();
  const nameOf = useProviderName();
  return (id) => nameOf(providers.find((provider) => provider.id === id) ?? { id, label: id });
}

const knownOptions = [
  'apiVersion',
  'organization',
  'project',
  'region',
  'voices',
  'deployment',
  'location',
  'tenant',
  'client',
  'accessKey',
  'secretKey',
  'sessionToken',
  'api',
  'auth',
  'batches',
  'dialects',
  'cacheMarks',
  'fileUrls',
  'chatPath',
  'responsesPath',
  'completionsPath',
  'embeddingsPath',
  'imagesPath',
  'imageEditsPath',
  'imageVariationsPath',
  'speechPath',
  'transcriptionPath',
  'translationPath',
  'moderationPath',
  'rerankPath',
  'videosPath',
  'realtimePath',
  'modelsPath',
  'knowledge',
  'knowledgePrompt',
  'webSearch',
  'codeInterpreter',
  'codeExecution',
] as const;
const knownChoices = [
  'api.both',
  'api.chat',
  'api.responses',
  'auth.bearer',
  'auth.x-api-key',
  'auth.api-key',
  'batches.vendor',
  'batches.here',
  'dialects.all',
  'dialects.openai',
  'cacheMarks.as-asked',
  'cacheMarks.on',
  'cacheMarks.off',
  'fileUrls.by-address',
  'fileUrls.refuse',
  'fileUrls.pass',
  'webSearch.off',
  'webSearch.on',
  'codeInterpreter.off',
  'codeInterpreter.auto',
  'codeInterpreter.none',
  'codeExecution.off',
  'codeExecution.on',
] as const;

/** Returns a function that names a provider's option: `apiVersion` → "API version". */
export function useOptionName(): (option: string) => string {
  const { t } = useTranslation('channels');
  return (option) => {
    const word = knownOptions.find((name) => name === option);
    return word === undefined ? spaced(option) : t(`optionName.${word}`);
  };
}

/** Returns a function that names a value of an option. */
export function useChoiceName(): (option: string, value: string) => string {
  const { t } = useTranslation('channels');
  return (option, value) => {
    const word = knownChoices.find((name) => name === `${option}.${value}`);
    return word === undefined ? value : t(`choiceName.${word}`);
  };
}

/** Returns an option's name in words: `accountId` → "Account id". */
function spaced(option: string): string {
  const words = option.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Product names, which are not translated. */
const products = { 'one-hub': 'One Hub', 'one-api': 'One API', 'new-api': 'New API' } as const;

/** Returns a function that names the source of a file of channels. */
export function useSourceName() {
  const { t } = useTranslation('channels');
  const names: Readonly<Record<ImportSource, string>> = {
    auto: t('edits.import.sourceAuto'),
    switchyard: t('edits.import.sourceOwn'),
    ...products,
  };
  return (source: ImportSource): string => names[source];
}
