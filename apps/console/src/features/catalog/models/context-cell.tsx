import { useFormat } from '../../../ui/format/use-format.ts';

/** Shows how many tokens a model accepts and produces in one call; renders nothing when that is unknown. */
export function ContextCell({ tokens }: { tokens: number | undefined }) {
  const format = useFormat();
  return tokens === undefined ? null : <>{format.compact(tokens)}</>;
}
