import { useFormat } from '../../../ui/format/use-format.ts';

/** How many tokens a model takes and gives in one call; nothing where nobody knows. */
export function ContextCell({ tokens }: { tokens: number | undefined }) {
  const format = useFormat();
  return tokens === undefined ? null : <>{format.compact(tokens)}</>;
}
