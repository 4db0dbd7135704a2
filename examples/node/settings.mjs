// What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
const { env } = process;

export const port = Number(env.PORT ?? 8080);
export const settings = {
  clientId: env.CLIENT_ID ?? 'authcli-client',
  secretKey: env.SECRET_KEY ?? 'authcli-emulated-secret',
  authUrl: env.AUTH_URL ?? 'http://127.0.0.1:8081',
};
