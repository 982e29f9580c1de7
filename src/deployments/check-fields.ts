/** What no schema can say of the fields of `POST /deploy`: names, addresses, parameters. Pure. */

import { didYouMean, ParlanceError, parameterTable, type ParameterRow } from '../contract/index.ts';

export function invalidDeployment(param: string, message: string): ParlanceError {
  return new ParlanceError('invalid_deployment', `${param}: ${message}`, { param });
}

const allowedName = /^[A-Za-z0-9._:/@-]{1,128}$/;
/** Names with these beginnings say how to look for a model, and can be no model's own. */
const reservedName = /^(?:parlance|tensorzero)::/;

export function checkName(name: string): string {
  if (!allowedName.test(name)) {
    throw invalidDeployment(
      'name',
      'expected 1 to 128 letters, digits or characters of . _ : / @ -',
    );
  }
  if (reservedName.test(name)) {
    throw invalidDeployment(
      'name',
      'names that begin with parlance:: or tensorzero:: are reserved.',
    );
  }
  return name;
}

export function checkBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalidDeployment(
      'base_url',
      'expected an http or https address, such as http://10.0.0.5:8000/v1',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidDeployment(
      'base_url',
      'must hold no user name or password; name an environment variable in api_key_env instead.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw invalidDeployment('base_url', 'must end with its path: no ?query and no #fragment.');
  }
  return url.href.replace(/\/+$/, '');
}

const parameterNames = Object.entries(parameterTable)
  .filter(([, row]) => (row as ParameterRow<unknown>).role === 'parameter')
  .map(([name]) => name);

export function checkParameters(given: readonly string[] | 'all'): readonly string[] | 'all' {
  if (given === 'all') return given;
  for (const [index, name] of given.entries()) {
    if (parameterNames.includes(name)) continue;
    throw invalidDeployment(
      `options.parameters[${index}]`,
      `"${name.slice(0, 64)}" is no parameter of the contract${didYouMean(name, parameterNames)}`,
    );
  }
  return [...new Set(given)].toSorted();
}
