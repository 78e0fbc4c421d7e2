import OutlinedInput from '@mui/material/OutlinedInput';
import { useRef, useState } from 'react';

const MOST = 64;

interface PasskeyNameProps {
  name: string;
  label: string;
  /** Callback that receives the new name, or undefined when the name stays. */
  onDone: (name: string | undefined) => void;
}

/** A name in its row: Enter or leaving saves it, Escape takes it back. */
export function PasskeyName({ name, label, onDone }: PasskeyNameProps) {
  const [draft, setDraft] = useState(name);
  const done = useRef(false);
  // Taking the field away makes the browser leave it once more.
  const finish = (text: string) => {
    if (done.current) return;
    done.current = true;
    onDone(text === '' || text === name ? undefined : text);
  };
  return (
    <OutlinedInput
      autoFocus
      fullWidth
      value={draft}
      onChange={({ target }) => setDraft(target.value)}
      onFocus={({ target }) => target.select()}
      onBlur={() => finish(draft.trim())}
      onKeyDown={({ key }) => {
        if (key === 'Enter') finish(draft.trim());
        if (key === 'Escape') finish(name);
      }}
      inputProps={{ 'aria-label': label, maxLength: MOST }}
      sx={{ maxWidth: 320 }}
    />
  );
}
