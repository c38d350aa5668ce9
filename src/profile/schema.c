/* The JSON Schema of profile.json, from the tables that write and read it. */
#include "profile/model.h"

#include <stdlib.h>
#include <string.h>

#define INTEGER(low, high) "{'type':'integer','minimum':" low ",'maximum':" high "}"
#define COUNT "{'type':'integer','minimum':0}"
#define COUNTS "{'type':'array','items':" COUNT "}"
#define MAYBE_COUNT "{'type':['integer','null'],'minimum':0}"
#define HEX "{'type':'string','pattern':'^0x[0-9a-f]+$'}"

/* By kind, with ' for "; NULL: by name, or a position. */
static const char *const types[FIELD_KINDS] = {
    [FIELD_U32] = INTEGER("0", "4294967295"),
    [FIELD_I32] = INTEGER("-2147483648", "2147483647"),
    [FIELD_U64] = COUNT,
    [FIELD_I64] = "{'type':'integer'}",
    [FIELD_REAL] = "{'type':['number','null']}",
    [FIELD_SHARE] = "{'type':'number','minimum':0,'maximum':1}",
    [FIELD_BOOL] = "{'type':'boolean'}",
    [FIELD_TEXT] = "{'type':'string'}",
    [FIELD_STRING] = "{'type':'string'}",
    [FIELD_HEX] = HEX,
    [FIELD_MAYBE] = MAYBE_COUNT,
    [FIELD_GAUGE] = "{'type':['number','null'],'minimum':-1}", /* -1 once was written, too */
    [FIELD_HISTOGRAM] = COUNTS, /* by twos: the lower end of a class of durations (ns), its calls */
    [FIELD_DROPPED] = "{'type':'object','additionalProperties':" COUNT "}",
    [FIELD_FRAMES] = "{'type':'array','items':{'type':'object','required':['module','address'],"
                     "'properties':{'module':" MAYBE_COUNT ",'address':" HEX ",'offset':" COUNT
                     ",'function':{'type':'string'},'inlined':{'type':'boolean'},"
                     "'file':{'type':'string'},'line':" COUNT "}}}",
};

/* Members by sixes: rank, rank in the communicator, site, bytes, entry and exit (ns). */
static const char instances[] =
    "{'type':'object','required':['kept_one_in','analysed_one_in','list'],'properties':{"
    "'kept_one_in':{'type':'integer','minimum':1},'analysed_one_in':{'type':'integer','minimum':1},"
    "'list':{'type':'array','items':{'type':'object',"
    "'required':['communicator_id','sequence','communicator','operation','members'],"
    "'properties':{'communicator_id':" HEX ",'sequence':" COUNT ",'communicator':" MAYBE_COUNT
    ",'operation':" MAYBE_COUNT ",'root':{'type':'integer'},"
    "'members':{'type':'array','items':{'type':['integer','null']}},"
    "'outside_ns':{'type':'array','items':" MAYBE_COUNT "}}}}}}";

/* What reports add; each has numbers of its own, too. */
static const char diagnosis[] =
    "{'type':'array','items':{'type':'object','required':['key','severity','text','ranks'],"
    "'additionalProperties':{'type':'number'},'properties':{'key':{'type':'string'},"
    "'severity':{'enum':['error','finding','doubt','note']},'text':{'type':'string'},"
    "'cost_seconds':{'type':'number'},'cost_low_seconds':{'type':'number'},"
    "'share_percent':{'type':'number'},'operation':{'type':'string'},"
    "'call_site':{'type':'string'},'ranks':{'type':'array','items':" COUNT "},"
    "'advice':{'type':'string'}}}}";

static json_t *parsed(const char *text)
{
    char *copy = memory_strdup(text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *value = json_loads(copy, 0, NULL);
    free(copy);
    return value;
}

/* What rows have had since the first version; by words. */
static const char *const always[TABLES] = {
    [TABLE_HOSTS] = "name ranks",
    [TABLE_RANKS] = "rank host state wall_seconds mpi_ns calls",
    [TABLE_MODULES] = "path build_id",
    [TABLE_OPERATIONS] = "name family",
    [TABLE_REGIONS] = "name entered time_ns",
    [TABLE_SITES] = "frames",
    [TABLE_COMMS] = "id name size",
    [TABLE_ENTRIES] = "site operation communicator region size_class calls time_ns min_ns max_ns "
                      "ranks histogram",
    [TABLE_GROUPS] = "site operation ranks",
    [TABLE_ARRIVALS] = "site operation communicator instances",
    [TABLE_PEERS] = "rank peer received messages bytes",
    [TABLE_STANDS] = "rank operation site",
    [TABLE_WAITS] = "site operation state for_rank calls wait_ns",
    [TABLE_BELOW] = "site operation sends receives",
};
static const char always_of_run[] = "id started_unix size programs mpi";
static const char always_of_trace[] = "recorded";
static const char always_of_spread[] = "count sum_ns min_ns max_ns";
static const char always_of_all[] =
    "schema collprof run warnings hosts ranks modules operations communicators regions sites "
    "entries groups arrivals instances findings";

static json_t *words(const char *text)
{
    json_t *list = json_array();
    for (size_t n; text && (n = strcspn(text, " ")); text += n + (text[n] == ' '))
        json_push(list, json_stringn(text, n));
    return list;
}

static json_t *schema_of(const struct fields *fields, const char *required);

static json_t *type_of(const struct field *f)
{
    uint32_t n = 0;
    const char *const *names = field_names(f->kind, &n);
    if (f->kind == FIELD_SPREAD)
        return schema_of(&fields_spread, always_of_spread);
    if (!names)
        return parsed(types[f->kind] ? types[f->kind] : MAYBE_COUNT);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_push(list, json_string(names[i]));
    json_push(list, json_string("unknown"));
    return json_pack("{s:o}", "enum", list);
}

static json_t *schema_of(const struct fields *fields, const char *required)
{
    json_t *properties = json_object();
    for (const struct field *f = fields->at; f < fields->at + fields->n; f++)
        if (f->key)
            json_put(properties, f->key, type_of(f));
    return json_pack("{s:s, s:o, s:o}", "type", "object", "required", words(required), "properties",
                     properties);
}

json_t *profile_schema(void)
{
    json_t *run = schema_of(&fields_run, always_of_run),
           *in_run = json_object_get(run, "properties");
    json_t *all = json_pack("{s:{s:s}, s:{s:s}}", "schema", "const", PROFILE_SCHEMA, "collprof",
                            "type", "string");
    json_put(all, "run", run);
    for (enum profile_table t = 0; t < TABLES; t++) {
        const struct fields *fields = &profile_tables[t].fields;
        json_t *row = fields->at->key ? schema_of(fields, always[t]) : type_of(fields->at);
        json_t *table = json_pack("{s:s, s:o}", "type", "array", "items", row);
        if (profile_tables[t].key)
            json_put(profile_tables[t].how & TABLE_OF_RUN ? in_run : all, profile_tables[t].key,
                     table);
        else
            json_decref(table);
    }
    json_put(all, "instances", parsed(instances));
    json_put(all, "findings",
             parsed("{'type':'object','additionalProperties':{'type':'array','items':{"
                    "'type':'object','properties':{'communicator_index':" MAYBE_COUNT "},"
                    "'additionalProperties':true}}}"));
    json_put(all, "diagnosis", parsed(diagnosis));
    json_put(all, "trace", schema_of(&fields_trace, always_of_trace));
    json_put(all, "writing_ns", parsed(COUNT));
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "$schema",
                     "https://json-schema.org/draft/2020-12/schema", "title",
                     "A run of an MPI program, as collprof writes it: see collprof-profile(5)",
                     "type", "object", "required", words(always_of_all), "properties", all);
}
