import type { ImportSource } from '@switchyard/contract/channels/channel-edits';
import { useTranslation } from 'react-i18next';

/** Names of products are the same in every language. */
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
