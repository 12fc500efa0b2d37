(class
  name: (_) @name) @definition.class

(module
  name: (_) @name) @definition.module

(method
  name: (_) @name) @definition.method

(singleton_method
  name: (_) @name) @definition.method

(program (_) @statement)
(class (_) @statement)
(module (_) @statement)
(singleton_class (_) @statement)
(body_statement (_) @statement)
(block_body (_) @statement)
(begin (_) @statement)
(then (_) @statement)
(else (_) @statement)
(do (_) @statement)
(ensure (_) @statement)
(case (_) @statement)
(case_match (_) @statement)
(comment) @lead
