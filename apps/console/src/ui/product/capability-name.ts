import { capability } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';

const known = [...capability.options, 'operation'] as const;

/** Returns a function that names a capability that a channel lacks; one unknown to this console keeps its own name. */
export function useCapabilityName(): (lacking: string) => string {
  const { t } = useTranslation();
  return (lacking) => {
    const name = known.find((candidate) => candidate === lacking);
    return name === undefined ? lacking : t(`capability.${name}`);
  };
}
