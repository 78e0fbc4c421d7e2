import Avatar from '@mui/material/Avatar';

function firstLetter(name: string): string {
  return String.fromCodePoint(name.codePointAt(0) ?? 63).toUpperCase();
}

interface UserAvatarProps {
  name: string;
  url?: string | undefined;
  size?: number;
  /**
   * True to load an identity provider's image too. Users choose its address at many providers, so only their own
   * browsers load it: its host would learn who views the account, and when.
   */
  isOwn?: boolean;
}

/** Shows a user's avatar, or the first letter of the name. */
export function UserAvatar({ name, url = '', size = 34, isOwn = false }: UserAvatarProps) {
  const isLoaded = url.startsWith('/api/') || (isOwn && url.startsWith('https:'));
  const picture = isLoaded ? { src: url } : {};
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
