// Serves an application with node:http.
import { createServer } from 'node:http';

export function createApplicationServer(application) {
  const routes = {
    'POST /callback': (fields) => application.callback(fields),
    'POST /sign-in': (fields) => signIn(application, fields),
  };
  return createServer(async (request, response) => {
    const route = routes[`${request.method} ${request.url}`];
    const fields = await readJson(request);
    const { status, body } = (await route?.(fields)) ?? {
      status: 404,
      body: { error: 'not found' },
    };
    response.writeHead(status, { 'content-type': 'application/json;charset=utf-8' });
    response.end(JSON.stringify(body));
  });
}

/** What is not JSON has no fields, and is refused for that. */
async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) ?? {};
  } catch {
    return {};
  }
}

async function signIn(application, { ptn_token }) {
  try {
    return { status: 200, body: { ptn_cd: await application.signIn(ptn_token) } };
  } catch (error) {
    console.error(error.message);
    return { status: 401, body: { error: 'not signed in' } };
  }
}
