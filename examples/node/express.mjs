// Serves the application with express 5.
import express from 'express';
import { createApplication } from './application.mjs';
import { port, settings } from './settings.mjs';

const application = createApplication(settings);
const app = express();
app.use(express.json());

app.post('/callback', (request, response) => {
  const { status, body } = application.callback(request.body ?? {});
  response.status(status).json(body);
});

app.post('/sign-in', async (request, response) => {
  try {
    response.json({ ptn_cd: await application.signIn(request.body.ptn_token) });
  } catch (error) {
    console.error(error.message);
    response.status(401).json({ error: 'not signed in' });
  }
});

// express responds to what is not JSON with an HTML page by default:
app.use((error, _request, response, _next) => {
  console.error(error.message);
  response.status(400).json({ code: '9000', message: 'refused' });
});

const server = app.listen(port, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
