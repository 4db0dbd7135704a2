// Serves the application with fastify 5.
import Fastify from 'fastify';
import { createApplication } from './application.mjs';
import { port, settings } from './settings.mjs';

const application = createApplication(settings);
const fastify = Fastify();

fastify.post('/callback', (request, reply) => {
  const { status, body } = application.callback(request.body ?? {});
  return reply.code(status).send(body);
});

fastify.post('/sign-in', async (request, reply) => {
  try {
    return { ptn_cd: await application.signIn(request.body.ptn_token) };
  } catch (error) {
    console.error(error.message);
    return reply.code(401).send({ error: 'not signed in' });
  }
});

// fastify's own code for what is not JSON would do, were it always a text with a message:
fastify.setErrorHandler((error, _request, reply) => {
  console.error(error.message);
  reply.code(400).send({ code: '9000', message: 'refused' });
});

console.log(`Listening on ${await fastify.listen({ port, host: '127.0.0.1' })}`);
