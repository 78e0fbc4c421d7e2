import Avatar from '@mui/material/Avatar';

function firstLetter(name: string): string {
  return String.fromCodePoint(name.codePointAt(0) ?? 63).toUpperCase();
}

/** Shows a user's avatar, or the first letter of the name. */
export function UserAvatar({ name, url, size = 34 }: { name: string; url?: string | undefined; size?: number }) {
  const picture = url !== undefined && /^(https:|\/api\/)/.test(url) ? { src: url } : {};
  return (
    <Avatar
      {...picture}
      alt=""
      sx={{
        width: size,
        height: size,
        bgcolor: 'primary.soft',
        color: 'primary.onSoft',
        fontSize: size * 0.42,
        fontWeight: 600,
      }}
    >
      {firstLetter(name)}
    </Avatar>
  );
}
