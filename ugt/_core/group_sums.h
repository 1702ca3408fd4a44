/* Sums of gamma variables over groups of classes: what rays.c and group_sums.c share. */
#ifndef UGT_GROUP_SUMS_H
#define UGT_GROUP_SUMS_H

#include "cubature.h"

#define MOST_ANGLES 48 /* between the ray and the imaginary axis */

/* (1 + x e^(i theta))^-c at nodes of log x: real parts, their derivatives by log x, imaginary parts, their derivatives. */
typedef struct {
    double c;
    int angle;
    int64_t n, per_step; /* nodes; nodes per half a unit of UGT_PER_UNIT */
    double *value;       /* [4 * n] */
} ugt_factor_table;

/* The same in rows of nodes that are a step of log rho apart. */
typedef struct {
    double per_unit;
    int64_t stride, row, rows;
    const double *value; /* [4 * rows * row] */
} ugt_strided_factor;

/* e^(x e^(i theta)) and its derivative by log x at nodes of log x: even nodes, then odd ones, each as real and imaginary parts of both. */
typedef struct {
    int64_t n; /* 0: not made for this case */
    int64_t row;   /* with zeros at its end */
    double *value; /* [8 * row] */
    int64_t room;
} ugt_kernel;

/* Of a case: nodes of log rho, and kernels for its nodes of log s. */
typedef struct {
    double step, log_rho, log_s; /* log rho and log s at nodes 0 */
    int64_t n_rho;
    ugt_kernel of_angle[MOST_ANGLES];
    ugt_factor_table *table;
    int64_t n_tables, table_room;
} ugt_rays;

typedef struct {
    double shape, rest; /* of all its classes; of the unmentioned ones among them */
    int64_t begin, end; /* its mentioned classes in `member` */
    int angle, n_members; /* members: mentioned classes, and the unmentioned ones together if there are any */
    ugt_strided_law law;  /* of the shape */
    ugt_strided_factor whole, others; /* of the shape, and of the unmentioned classes */
    double mean, square;  /* sums of c / r and c / r^2 */
    int64_t first, last;  /* nodes of s, before which the law is 0 and from which on it is 1 */
    int complete;         /* the dimension with which the rates of all classes are known; -1: they are 1 */
} ugt_one_group;

struct ugt_groups {
    const int64_t *group;
    int64_t n_groups, n_classes;
    int64_t *size, *unmentioned, *at; /* [n_groups]: classes, unmentioned ones, and the place of the group in the result, -1 if it cannot win */
    int in_lump;            /* whether unmentioned classes share evenly */
    ugt_rays rays;
    /* the case */
    int64_t n, n_sizes, n_resting; /* groups with mentioned classes; different sizes of the others; groups with unmentioned classes */
    ugt_one_group of[UGT_MOST_MENTIONED];
    int64_t color[UGT_MOST_MENTIONED], member[UGT_MOST_MENTIONED];
    ugt_strided_factor factor[UGT_MOST_MENTIONED];
    double wins[UGT_MOST_MENTIONED + 1], times[UGT_MOST_MENTIONED + 1]; /* of each size: shape of a group, and number of groups */
    double *laws, *factors, *room;
    int64_t laws_room, factors_room, room_room;
    double *law, *density;  /* [n * n_s] */
    double *still, *still_f; /* [n_s]: of the groups without mentioned classes together; [n_sizes * n_s]: density of each size times the laws of the rest */
    int64_t still_end;
    double *ahead;          /* [(n + 1) * n_s] */
    double *behind;         /* [n_s] */
    double *re, *im, *of_mean; /* [n_rho], [n_rho], [2 * n_rho]: Phi and Psi on the ray */
    const ugt_component *of_component;
    int64_t work;           /* products of correlations that are not counted yet */
    double inverse[UGT_MOST_MENTIONED], log_r[UGT_MOST_MENTIONED];
};

/* ---- rays.c ---- */
int ugt_angle_of(double shape); /* of the ray for sums of this total shape */
/* Begins a case: step of log s, its first node, total shape of all sums. */
void ugt_rays_open(ugt_rays *rays, double step, double log_s, double shape);
void ugt_rays_free(ugt_rays *rays);
int ugt_kernel_make(ugt_rays *rays, int angle);                                       /* unless it is made */
int ugt_factor_table_make(ugt_rays *rays, double c, int angle, int64_t *at); /* *at: the table of a shape and an angle */
int64_t ugt_factor_doubles(const ugt_factor_table *t, int64_t steps);                 /* that a table takes in rows */
void ugt_factor_stride(const ugt_factor_table *t, int64_t steps, ugt_strided_factor *out, double *to);
/* Nodes of log rho that matter for a sum of this mean from node `first` of log s on. */
void ugt_ray_nodes(const ugt_rays *rays, int angle, double mean, int64_t first, int64_t *low, int64_t *high);
/* Multiplies re + i im on nodes [low, high) by the factor of a class of rate e^log_r; `sets`: 1 before. */
void ugt_factor_multiply(const ugt_rays *rays, const ugt_strided_factor *t, double log_r, int64_t low, int64_t high, int sets, double *re, double *im);
/* Leaves out nodes at both ends where re + i im is negligible. */
void ugt_ray_trim(const double *re, const double *im, int64_t *low, int64_t *high);
/* Adds the inverse transform of re + i im to a law and its density on nodes [begin, end) of log s. */
void ugt_ray_add(const ugt_rays *rays, int angle, const double *re, const double *im, int64_t low, int64_t high, int64_t begin, int64_t end,
                 double *law, double *density);

#endif
