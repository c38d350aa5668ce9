#include "picture/schedule_draw.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "document/save.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct pen {
    const struct schedule *s;
    char *const *host;
    FILE *out;
    char *prefix; /* of the line below: "|  " for each open branch */
};

static const char *host_of(const struct pen *p, int u)
{
    return p->host && p->host[u] ? p->host[u] : "";
}

/* A chain of 4,096 is that deep: the prefix is bounded, the recursion is not a problem. */
static void draw_below(struct pen *p, int u, size_t indent)
{
    const struct schedule *s = p->s;
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        int v = s->child[i];
        bool last = i + 1 == s->first[u + 1];
        fprintf(p->out, "%12.2f  %.*s%s %d%s%s\n", 1e6 * s->arrival[v], (int)indent, p->prefix,
                last ? "`-" : "|-", v, *host_of(p, v) ? "  " : "", host_of(p, v));
        memcpy(p->prefix + indent, last ? "   " : "|  ", 3);
        draw_below(p, v, indent + 3);
    }
}

void schedule_draw_text(const struct schedule *s, char *const *host, FILE *out)
{
    struct pen p = {s, host, out, malloc(3 * (size_t)s->n + 3)};
    if (!p.prefix)
        return;
    fprintf(out, "arrival (us)  rank, in the order of sending\n");
    fprintf(out, "%12.2f  %d%s%s\n", 1e6 * s->arrival[s->root], s->root,
            *host_of(&p, s->root) ? "  " : "", host_of(&p, s->root));
    draw_below(&p, s->root, 0);
    free(p.prefix);
}

static void schedule_draw_dot(const struct schedule *s, char *const *host, FILE *out)
{
    struct pen p = {s, host, out, NULL};
    fputs("digraph schedule {\n  label=\"", out);
    quote_dot(s->name, out);
    fprintf(out, " from rank %d: %.2f us\";\n", s->root, 1e6 * s->completion);
    fprintf(out, "  node [shape=box, style=rounded, fontname=sans];\n"
                 "  edge [fontname=sans, fontsize=10];\n");
    for (int u = 0; u < s->n; u++) {
        fprintf(out, "  %d [label=\"%d%s", u, u, *host_of(&p, u) ? "\\n" : "");
        quote_dot(host_of(&p, u), out);
        fprintf(out, "\\n%.2f us\"];\n", 1e6 * s->arrival[u]);
        for (int i = s->first[u]; i < s->first[u + 1]; i++)
            fprintf(out, "  %d -> %d [label=\"%d\"];\n", u, s->child[i], i - s->first[u] + 1);
    }
    fprintf(out, "}\n");
}

bool schedule_draw_path_valid(const char *path)
{
    if (text_ends_with(path, ".txt") || text_ends_with(path, ".dot") ||
        text_ends_with(path, ".png") || text_ends_with(path, ".svg"))
        return true;
    return reason_give("cannot draw %s: a name that ends in .txt, .dot, .png or .svg is needed",
                       path);
}

/* Graphviz reads DOT from a file and writes to the picture's own temporary one. */
static bool run_dot(FILE *dot, FILE *picture, const char *path)
{
    char type[] = "-Tpng", *argv[] = {(char *)"dot", type, NULL};
    if (text_ends_with(path, ".svg"))
        memcpy(type + 2, "svg", 3);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(dot), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
    pid_t pid;
    int status = -1, error = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0)
        waitpid(pid, &status, 0);
    return (error == 0 && status == 0) ||
           reason_give("cannot draw %s: %s", path,
                       error ? "there is no Graphviz (the command dot); .dot and .txt need none"
                             : "Graphviz' dot failed");
}

bool schedule_draw(const struct schedule *s, char *const *host, const char *path)
{
    struct save save;
    if (!schedule_draw_path_valid(path) || !save_open(&save, path))
        return false;
    if (text_ends_with(path, ".txt") || text_ends_with(path, ".dot")) {
        (text_ends_with(path, ".txt") ? schedule_draw_text : schedule_draw_dot)(s, host, save.out);
        return save_commit(&save);
    }
    FILE *dot = tmpfile();
    bool good = dot != NULL;
    if (good) {
        schedule_draw_dot(s, host, dot);
        rewind(dot);
        good = run_dot(dot, save.out, path);
        fclose(dot);
    }
    if (good)
        return save_commit(&save);
    save_abandon(&save);
    return false;
}
