/**
 * Every spelling of a constraint that the contract has, with a question and with a check of the text
 * that owes nothing to the code under test. For end-to-end tests.
 */

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Body } from './ask.ts';

export interface ConstraintCase {
  readonly name: string;
  /** The fields that constrain, to be added to a chat body. */
  readonly fields: Body;
  /** The field as the receipt spells it. */
  readonly parameter: string;
  readonly question: string;
  /** No text is right that is longer than the limit of `bodyOf`. */
  readonly bounded: boolean;
  /** Fails the test where the text is not what was asked for. */
  readonly check: (text: string) => void;
}

export const personSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 20 },
    age: { type: 'integer', minimum: 0, maximum: 120 },
    tags: { type: 'array', items: { enum: ['red', 'green', 'blue'] }, maxItems: 3 },
  },
  required: ['name', 'age', 'tags'],
  additionalProperties: false,
};

export const person = 'Describe a person as JSON.';

/** Whether a text is JSON that a schema allows, by an Ajv of the tests' own. */
export function checkJson(schema: object): (text: string) => void {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  return (text) => {
    const value: unknown = JSON.parse(text);
    assert.ok(validate(value), `${text}: ${JSON.stringify(validate.errors)}`);
  };
}

const checkPerson = checkJson(personSchema);

/** The whole text matches. */
export const checkRegex = (pattern: string): ((text: string) => void) => {
  const whole = new RegExp(`^(?:${pattern})$`, 'u');
  return (text) => assert.match(text, whole);
};

const date = '(19|20)[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]';
const gbnf = 'root ::= "yes " reason\nreason ::= "because " [a-z]{1,12} ("." | "!")';
const lark = 'start: greeting " " NAME\ngreeting: "Hello" | "Good day"\nNAME: /[A-Z][a-z]{1,8}/';
const checkGrammar = checkRegex('yes because [a-z]{1,12}[.!]');

const personTag = {
  type: 'structural_tag',
  format: {
    type: 'sequence',
    elements: [
      { type: 'const_string', value: '<person>' },
      { type: 'json_schema', json_schema: personSchema },
      { type: 'const_string', value: '</person>' },
    ],
  },
};

function checkTag(text: string): void {
  const inner = /^<person>([^]*)<\/person>$/.exec(text)?.[1];
  assert.ok(inner !== undefined, text);
  checkPerson(inner);
}

/** The older shape: free text, in which a trigger begins a tag. */
const triggeredTag = {
  type: 'structural_tag',
  structures: [{ begin: '<n>', schema: { type: 'integer' }, end: '</n>' }],
  triggers: ['<n'],
};

/** Whatever follows a trigger is a tag with an integer, which may be written with a fraction of zeros. */
function checkTriggered(text: string): void {
  const rest = text.replaceAll(/<n>(.*?)<\/n>/g, (_, number: string) => {
    assert.ok(Number.isInteger(JSON.parse(number)), text);
    return '';
  });
  assert.doesNotMatch(rest, /<n/);
}

const schemaFormat = (strict: boolean): Body => ({
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'person', strict, schema: personSchema },
  },
});

export const constraintCases: readonly ConstraintCase[] = [
  {
    name: 'response_format json_object',
    fields: { response_format: { type: 'json_object' } },
    parameter: 'response_format',
    question: 'Answer with a JSON object that has one member.',
    bounded: false,
    check: checkJson({ type: 'object' }),
  },
  {
    name: 'response_format json_schema, strict',
    fields: schemaFormat(true),
    parameter: 'response_format',
    question: person,
    bounded: true,
    check: checkPerson,
  },
  {
    name: 'response_format json_schema, not strict',
    fields: schemaFormat(false),
    parameter: 'response_format',
    question: person,
    bounded: true,
    check: checkPerson,
  },
  {
    name: 'response_format regex',
    fields: { response_format: { type: 'regex', pattern: date } },
    parameter: 'response_format',
    question: 'When did the first man walk on the moon?',
    bounded: true,
    check: checkRegex(date),
  },
  {
    name: 'response_format grammar',
    fields: { response_format: { type: 'grammar', grammar: gbnf } },
    parameter: 'response_format',
    question: 'Is the sky blue?',
    bounded: true,
    check: checkGrammar,
  },
  {
    name: 'response_format structural_tag',
    fields: { response_format: { type: 'structural_tag', structural_tag: personTag } },
    parameter: 'response_format',
    question: person,
    bounded: true,
    check: checkTag,
  },
  {
    name: 'guided_json',
    fields: { guided_json: personSchema },
    parameter: 'guided_json',
    question: person,
    bounded: true,
    check: checkPerson,
  },
  {
    name: 'guided_json as a string',
    fields: { guided_json: JSON.stringify(personSchema) },
    parameter: 'guided_json',
    question: person,
    bounded: true,
    check: checkPerson,
  },
  {
    name: 'guided_json with a pattern for whitespace',
    fields: { guided_json: personSchema, guided_whitespace_pattern: '[\\n]?' },
    parameter: 'guided_json',
    question: person,
    bounded: true,
    check: (text) => {
      checkPerson(text);
      // Outside of strings there is no blank, which the default allows and the model likes.
      assert.doesNotMatch(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'), /[ \t\r]/);
    },
  },
  {
    name: 'guided_regex',
    fields: { guided_regex: date },
    parameter: 'guided_regex',
    question: 'When did the first man walk on the moon?',
    bounded: true,
    check: checkRegex(date),
  },
  {
    name: 'guided_choice',
    fields: { guided_choice: ['Paris', 'Berlin', 'Rome', 'Par'] },
    parameter: 'guided_choice',
    question: "What's the capital of France?",
    bounded: true,
    check: (text) => assert.ok(['Paris', 'Berlin', 'Rome', 'Par'].includes(text), text),
  },
  {
    name: 'guided_grammar in GBNF style',
    fields: { guided_grammar: gbnf },
    parameter: 'guided_grammar',
    question: 'Is the sky blue?',
    bounded: true,
    check: checkGrammar,
  },
  {
    name: 'guided_grammar in Lark',
    fields: { guided_grammar: lark },
    parameter: 'guided_grammar',
    question: 'Greet somebody.',
    bounded: true,
    check: checkRegex('(Hello|Good day) [A-Z][a-z]{1,8}'),
  },
  {
    name: 'structural_tag as an object',
    fields: { structural_tag: personTag },
    parameter: 'structural_tag',
    question: person,
    bounded: true,
    check: checkTag,
  },
  {
    name: 'structural_tag as a string',
    fields: { structural_tag: JSON.stringify(personTag) },
    parameter: 'structural_tag',
    question: person,
    bounded: true,
    check: checkTag,
  },
  {
    name: 'structural_tag with triggers in free text',
    fields: { structural_tag: triggeredTag },
    parameter: 'structural_tag',
    question: 'Write <n>5</n> and then other numbers in the same form: <n>',
    bounded: false,
    check: checkTriggered,
  },
];

/** A body that asks for it; whatever is drawn, the text must be right. */
export const bodyOf = ({ fields, question }: ConstraintCase, extra: Body = {}): Body => ({
  messages: [{ role: 'user', content: question }],
  temperature: 1,
  max_tokens: 300,
  ...fields,
  ...extra,
});
