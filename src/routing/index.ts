/** From a model's name to the target that answers. */

export { createRouting, type ModelView, type Routing } from './create-routing.ts';
